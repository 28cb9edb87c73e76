"""The graphs of a store's page, and a drag that zooms into one."""

SEQUENCE = "[...document.querySelectorAll('.panel')].find(one => one.textContent.startsWith('Time-sequence'))"


def zoom(page, place, left, right):
    """Drags over a part of a plot's width; with none, shows all again."""
    page.run(f"{place}.scrollIntoView({{block: 'center'}})")
    page.settle()
    begin, middle, width = page.run(
        f"(() => {{ const box = {place}.querySelector('.u-over').getBoundingClientRect(); "
        "return [box.left, box.top + box.height / 2, box.width] })()"
    )
    page.hover(begin + left * width, middle)
    page.mouse("mousePressed", begin + left * width, middle)
    page.mouse("mouseMoved", begin + right * width, middle)
    page.mouse("mouseReleased", begin + right * width, middle)
