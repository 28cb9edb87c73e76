"""The figures of a run as a widget of a notebook."""

import json

import pytest

import ackclock
from ackclock.base.extras import ExtraError
from ackclock.report import assets
from ackclock.report.widget import detail, figures
from tests.helpers.browser import DRAWN, Browser, needs_browser
from tests.helpers.lab import SHORT
from tests.helpers.scenarios import PROBED
from tests.helpers.zooming import zoom


@pytest.fixture(scope="module")
def result():
    return ackclock.run(PROBED)


def test_without_anywidget_it_says_what_to_install(result, monkeypatch):
    monkeypatch.setattr("ackclock.base.extras.find_spec", lambda _: None)
    with pytest.raises(ExtraError, match=r"widgets need anywidget: pip install 'ackclock\[notebook\]'"):
        result.widget()


def test_a_run_without_probes_has_nothing_to_show(monkeypatch):
    monkeypatch.setattr("ackclock.base.extras.find_spec", lambda _: object())
    plain = ackclock.run(SHORT)
    with pytest.raises(ValueError, match="nothing of this run was recorded over time"):
        plain.widget()


def test_a_stretch_of_time_has_more_detail(result):
    answer = detail(result, {"number": 3, "range": [1.0, 1.1]})
    assert answer["number"] == 3
    assert [one["title"] for one in answer["figures"]] == [one["title"] for one in figures(result)]
    assert json.loads(json.dumps(answer)) == answer


def test_a_widget_of_anywidget_has_the_figures(result):
    pytest.importorskip("anywidget")
    shown = result.widget()
    assert shown.figures == figures(result)
    assert "export{" in shown._esm


MODEL = """(async () => {
  window.handlers = {}; window.sent = [];
  const model = { get: () => FIGURES, on: (name, one) => { handlers[name] = one }, off: () => {},
    send: (content) => sent.push(content) };
  const style = document.createElement("style"); style.textContent = STYLE; document.head.append(style);
  const { default: widget } = await import(URL.createObjectURL(new Blob([SCRIPT], { type: "text/javascript" })));
  const el = document.createElement("div"); document.body.append(el);
  window.end = widget.render({ model, el });
})()"""


@pytest.mark.slow
@needs_browser
def test_the_module_draws_in_a_page_and_asks_for_detail(result):
    script = MODEL.replace("FIGURES", json.dumps(figures(result))).replace(
        "STYLE", json.dumps(assets.bundle("widget.css"))
    ).replace("SCRIPT", json.dumps(assets.bundle("widget.js")))  # fmt: skip
    with Browser() as page:
        page.size(1000, 800)
        page.open("about:blank")
        page.run(script)
        page.until("document.querySelectorAll('.ackclock canvas').length >= 5")
        page.settle()
        assert sum(one > 0 for one in page.run(DRAWN)) >= 5
        zoom(page, "document.querySelector('.ackclock .panel')", 0.3, 0.5)
        page.until("sent.length > 0")
        (asked, *_) = page.run("sent")
        low, high = asked["range"]
        assert 0 <= low < high <= 3
        page.run(f"handlers['msg:custom']({json.dumps(detail(result, asked))})")
        page.settle()
        assert sum(one > 0 for one in page.run(DRAWN)) >= 5
        page.run("end()")
        assert page.run("document.querySelectorAll('canvas').length") == 0
        assert page.errors == []
