"""Contrast of every text that a page shows, as a browser computes its colours."""

SCRIPT = """(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const read = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, ground) => [0, 1, 2].map((at) => top[at] * top[3] + ground[at] * (1 - top[3]));
  const luminance = (colour) => {
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = colour.map((part) => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(read(getComputedStyle(at).backgroundColor));
    return chain.reduce((below, one) => over(one, below), [255, 255, 255]);
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style, noscript, svg, :disabled")) continue;
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const below = ground(element);
    const [red, green, blue, alpha] = read(getComputedStyle(element).color);
    const [one, other] = [luminance(over([red, green, blue, alpha * opacity], below)), luminance(below)];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    // Signs of a legend are marks.
    const least = element.matches(".u-marker") ? 3 : 4.5;
    found.push([node.data.trim().slice(0, 40), Math.round(100 * contrast) / 100, least]);
  }
  return found;
})()"""
"""The contrast of each text with what is behind it."""


def pale(page):
    """The texts of a page with less than 4.5 to 1, and marks with less than 3 to 1; the page has to have some text."""
    found = page.run(SCRIPT)
    assert len(found) > 10
    return [(text, contrast) for text, contrast, least in found if contrast < least]
