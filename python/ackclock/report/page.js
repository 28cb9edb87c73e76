// A page at rest: plots are drawn when their part of it is shown, choices show one part, and filters hide rows.
(() => {
  const draw = (part) => {
    for (const source of part.querySelectorAll("script[data-plot]:not([data-drawn])")) {
      const element = document.getElementById(source.dataset.plot);
      if (element.closest("[hidden], details:not([open])")) continue;
      source.dataset.drawn = "";
      ackclock.plot(element, JSON.parse(source.textContent), element.closest("[data-sync]")?.dataset.sync);
    }
  };

  for (const choice of document.querySelectorAll(".choice")) {
    const select = choice.querySelector("select");
    const parts = [...choice.querySelectorAll(":scope > .option")];
    const show = () => {
      parts.forEach((part, at) => (part.hidden = at !== select.selectedIndex));
      draw(choice);
    };
    select.addEventListener("change", show);
    show();
  }

  // A row keeps, for each list above the table, the number of its entry.
  for (const box of document.querySelectorAll(".filtered")) {
    const selects = [...box.querySelectorAll("select")];
    const rows = [...box.querySelectorAll("tbody tr")];
    const count = box.querySelector("output");
    const filter = () => {
      const wanted = selects.map((select) => select.value);
      let shown = 0;
      for (const row of rows) {
        const own = row.dataset.of.split(" ");
        row.hidden = wanted.some((value, at) => value !== "" && value !== own[at]);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = shown === rows.length ? `all ${rows.length}` : `${shown} of ${rows.length}`;
    };
    selects.forEach((select) => select.addEventListener("change", filter));
    filter();
  }

  // A plot in a folded part has no width to be drawn in until the part is opened; toggle events do not bubble.
  document.addEventListener("toggle", (event) => event.target.open && draw(event.target), true);

  draw(document);
})();
