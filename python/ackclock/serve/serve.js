// The page of a store: runs to choose, and what they are overlaid in.
(() => {
  const at = (id) => document.getElementById(id);
  const make = (kind, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(kind), properties);
    element.append(...children);
    return element;
  };
  const chosen = new Set();
  let state = { runs: [], names: [], tables: [], measures: [], most: 1 };
  let plots = [];
  let asked = 0;

  const fetched = async (address) => {
    const answer = await fetch(address);
    const document = await answer.json();
    if (!answer.ok) throw new Error(document.error);
    return document;
  };
  const written = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 }).format;
  const told = (error) => make("p", { className: "error", textContent: error.message });
  const nameOf = (run) => [...run.values, `seed ${run.seed}`].join(", ");
  const inOrder = () => state.runs.filter((run) => chosen.has(run.run));
  const query = () => `runs=${inOrder().map((run) => run.run).join(",")}`;

  const filters = () => {
    const kept = [...at("filters").querySelectorAll("select")].map((select) => select.value);
    at("filters").replaceChildren(
      ...state.names.map((name, column) => {
        const values = [...new Set(state.runs.map((run) => run.values[column]))];
        const select = make("select", {}, make("option", { value: "", textContent: "all" }));
        values.forEach((value) => select.append(make("option", { value: `=${value}`, textContent: value })));
        select.value = kept[column] ?? "";
        if (select.selectedIndex < 0) select.value = "";
        select.addEventListener("change", list);
        return make("label", {}, `${name} `, select);
      }),
    );
  };

  const list = () => {
    const wanted = [...at("filters").querySelectorAll("select")].map((select) => select.value);
    const shown = state.runs.filter((run) => wanted.every((value, column) => !value || value === `=${run.values[column]}`));
    const head = make("tr", {}, ...["", ...state.names, "seed", "run"].map((name) => make("th", { textContent: name })));
    const rows = shown.map((run) => {
      const box = make("input", { type: "checkbox", checked: chosen.has(run.run) });
      box.setAttribute("aria-label", nameOf(run));
      box.addEventListener("change", () => {
        if (!box.checked) chosen.delete(run.run);
        else if (chosen.size < state.most) chosen.add(run.run);
        else box.checked = false;
        draw();
      });
      const cells = [...run.values, run.seed, run.run].map((value) => make("td", { textContent: value }));
      return make("tr", {}, make("td", {}, box), ...cells);
    });
    at("runs").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  };

  const bars = async (number) => {
    if (!chosen.size) return at("bars").replaceChildren(make("p", { textContent: "Choose runs above." }));
    try {
      const found = await fetched(`api/bars?${query()}&of=${encodeURIComponent(at("measure").value)}`);
      if (number !== asked) return;
      const most = Math.max(...found.values.map((value) => Math.abs(value ?? 0))) || 1;
      const rows = inOrder().map((run, place) => {
        const value = found.values[place];
        const text = value === null ? "-" : `${written(value)} ${found.unit}`;
        const bar = make("meter", { max: most, value: Math.abs(value ?? 0) });
        return make("div", { className: "bar-row" }, make("span", { textContent: `${place + 1}: ${nameOf(run)}` }), bar,
          make("span", { textContent: text })); // prettier-ignore
      });
      at("bars").replaceChildren(...rows);
    } catch (error) {
      if (number === asked) at("bars").replaceChildren(told(error));
    }
  };

  const lines = async (number) => {
    const clear = () => {
      plots.forEach((plot) => plot.remove());
      plots = [];
    };
    if (!chosen.size) {
      clear();
      return at("lines").replaceChildren(make("p", { textContent: "Choose runs above." }));
    }
    try {
      const found = await fetched(`api/lines?${query()}`);
      if (number !== asked) return;
      clear();
      at("lines").replaceChildren();
      if (!found.figures.length) at("lines").append(make("p", { textContent: "Nothing of these runs was recorded over time." }));
      for (const figure of found.figures) {
        const element = make("div", { className: "plot" });
        const note = make("p", { className: "source", textContent: figure.note });
        at("lines").append(make("div", { className: "panel" }, make("h4", { textContent: figure.title }), element, note));
        plots.push(ackclock.plot(element, figure, "time"));
      }
    } catch (error) {
      if (number === asked) at("lines").replaceChildren(told(error));
    }
  };

  const links = () => {
    const rows = state.tables.filter((table) => table !== "runs").map((table) => {
      const forms = ["csv", "parquet", "arrow"].map((form) =>
        make("td", {}, make("a", { href: `data/${table}.${form}?${query()}`, download: `${table}.${form}`, textContent: form })));
      return make("tr", {}, make("td", { textContent: table }), ...forms);
    });
    at("data").replaceChildren(chosen.size ? make("table", {}, make("tbody", {}, ...rows)) : make("p", { textContent: "Choose runs above." }));
  };

  const draw = () => {
    asked += 1;
    at("chosen").textContent = `${chosen.size} chosen of ${state.runs.length}; at most ${state.most} together.`;
    links();
    return Promise.all([bars(asked), lines(asked)]);
  };

  let seen = "";
  const refresh = async () => {
    try {
      const now = await fetched("api/runs");
      const text = JSON.stringify(now);
      const failed = now.failed ? `, ${now.failed} of them failed` : "";
      const listed = now.runs.length < now.done ? `; the first ${now.runs.length} are listed` : "";
      at("state").className = "";
      at("state").textContent = `${now.finished} of ${now.asked} runs have finished${failed}${listed}.`;
      if (text === seen) return;
      seen = text;
      state = now;
      document.title = at("title").textContent = now.store;
      at("measures").replaceChildren(...now.measures.map((value) => make("option", { value })));
      const known = new Set(now.runs.map((run) => run.run));
      [...chosen].filter((run) => !known.has(run)).forEach((run) => chosen.delete(run));
      filters();
      list();
      await draw();
    } catch (error) {
      at("state").className = "error";
      at("state").textContent = error.message;
    }
  };

  at("refresh").addEventListener("click", refresh);
  at("measure").addEventListener("change", () => bars(asked));
  at("clear").addEventListener("click", () => {
    chosen.clear();
    list();
    draw();
  });
  setInterval(() => at("poll").checked && !document.hidden && refresh(), 5000);
  refresh();
})();
