"use strict";
// Asks the server for a plan whenever the text has changed, and shows its answer. Nothing is planned here.
(() => {
  const by = (id) => document.getElementById(id);
  const EXAMPLES = [
    ["Blocks of 10 become blocks of 2", "[f64; 60] {\n    from: cyclic(10) onto 3,\n    to: cyclic(2) onto 3,\n}"],
    ["Tiles become whole columns", "[f64; 600, 1200] {\n    from: scalapack(64, 64, 2, 3),\n    to: (*, block) onto 6 storage fortran,\n}"],
    ["Rows become columns of a transposed matrix", "[f32; 300, 200] {\n    from: (block, *) onto 4,\n    to: (block, *) onto 4 transposed,\n}"],
    ["A section of one matrix into another",
      "[f64; 700, 500] {\n    from: scalapack(64, 64, 2, 3) of [1000, 600] at [100, 0],\n    to: scalapack(16, 48, 3, 2) of [800, 800] at [0, 50],\n}"],
    ["Slabs of a Fourier transform", "[Complex<f64>; 64, 48, 32] {\n    from: (block, block, *) onto (2, 3),\n    to: (*, block, block) onto (2, 3),\n}"],
    ["Parts with owners of their own", "[i32; 60] {\n    from: blocks([7, 20, 33, 41], [2, 0, 1, 2, 0]) onto 3,\n    to: block balanced onto 4,\n}"],
    ["Copies: an all-gather", "[f32; 12] {\n    from: block onto 3,\n    to: * copies 3,\n}"],
    ["An item with a name and a value", "pub struct Panels: [f64; 4 * NB, N] {\n    from: (cyclic(NB), *) onto 4,\n    to: (*, block) onto 4,\n}", "NB = 32\nN = 100"],
  ];
  const text = by("text");
  let mistakes = [];
  let asked = null;
  let timer = 0;
  let shown = null;

  const node = (name, parent, content, className) => {
    const made = document.createElement(name);
    if (content !== undefined) made.textContent = content;
    if (className) made.className = className;
    return parent ? parent.appendChild(made) : made;
  };
  const button = (parent, content, press) => {
    const made = node("button", parent, content);
    made.type = "button";
    made.addEventListener("click", press);
    return made;
  };
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  // --- the text, and the words that are wrong ---
  const grow = () => {
    text.style.height = "auto";
    text.style.height = `${text.scrollHeight + 2}px`;
  };

  const inText = () => mistakes.filter((mistake) => mistake.place === "text").sort((a, b) => a.start - b.start);

  // Words of no length are marked by the character before them.
  const words = (mistake) => mistake.end > mistake.start ? [mistake.start, mistake.end] : [Math.max(0, mistake.start - 1), mistake.start];

  const mark = () => {
    const behind = by("marks");
    behind.replaceChildren();
    let at = 0;
    for (const mistake of inText()) {
      const [start, end] = words(mistake).map((place) => Math.max(at, place));
      behind.append(text.value.slice(at, start));
      if (end > start) node("mark", behind, text.value.slice(start, end));
      at = end;
    }
    behind.append(text.value.slice(at) + "\n");
    text.setAttribute("aria-invalid", mistakes.length > 0 ? "true" : "false");
    grow();
  };

  const goTo = (mistake) => {
    const field = mistake.place === "text" ? text : by("values");
    field.focus();
    if (field === text) text.setSelectionRange(...words(mistake));
  };

  const nextMistake = () => {
    const all = inText();
    const next = all.find((mistake) => words(mistake)[0] > text.selectionStart) || all[0];
    if (next) goTo(next);
  };

  const use = (mistake) => {
    text.setRangeText(mistake.instead, mistake.start, mistake.end, "end");
    text.focus();
    changed();
  };

  const placeOf = (mistake) => mistake.place === null ? ""
    : mistake.place === "text" ? `line ${mistake.line}, column ${mistake.column}` : `value of ${mistake.place}`;

  const listMistakes = (more) => {
    const list = by("mistakes");
    list.replaceChildren();
    by("mistakes-part").hidden = mistakes.length === 0;
    mistakes.forEach((mistake) => {
      const line = node("li", list);
      if (mistake.place !== null) button(line, placeOf(mistake), () => goTo(mistake));
      node("span", line, mistake.message + " ");
      if (mistake.instead !== null && mistake.place === "text") button(line, `use ${mistake.instead}`, () => use(mistake));
    });
    if (more > 0) node("li", list, `${counted(more, "mistake")} besides`);
  };

  // The list of mistakes is beside it for who sees it; who listens hears the first ones.
  const say = (message, spoken, isWrong) => {
    const status = by("status");
    status.classList.toggle("wrong", isWrong);
    if (status.textContent === message + spoken) return;
    status.replaceChildren(message);
    node("span", status, spoken, "spoken");
  };

  const sayMistakes = (more) => {
    const told = mistakes.slice(0, 3).map((mistake) => [placeOf(mistake), mistake.message].filter(Boolean).join(": "));
    say(counted(mistakes.length + more, "mistake"), `: ${told.join("; ")}`, true);
  };

  // --- the plan ---
  const pairs = (list, entries, asCode) => {
    list.replaceChildren();
    for (const [name, value] of entries) {
      node("dt", list, name);
      const place = node("dd", list);
      if (asCode) node("code", place, value); else place.textContent = value;
    }
  };

  const pictures = (item) => {
    const all = by("pictures");
    all.replaceChildren();
    by("parts").replaceChildren();
    for (const picture of item.pictures) {
      const heading = node("h3", all, picture.shows);
      heading.id = `picture-${picture.kind}`;
      const frame = node("div", all, undefined, "scroll picture");
      Object.assign(frame, { tabIndex: 0, role: "region" });
      frame.setAttribute("aria-labelledby", heading.id);
      const drawn = new DOMParser().parseFromString(picture.svg, "image/svg+xml").documentElement;
      frame.append(document.importNode(drawn, true));
      const link = node("a", node("li", by("parts")), picture.shows);
      link.href = `#${heading.id}`;
    }
    for (const [id, name] of [["calls-heading", "To copy"], ["explained-heading", "Explanation"]])
      node("a", node("li", by("parts")), name).href = `#${id}`;
    by("undrawn").hidden = item.undrawn === null;
    by("undrawn").textContent = item.undrawn === null ? "" : `There is no picture: ${item.undrawn}`;
  };

  const table = (counts) => {
    by("table-part").hidden = counts === null;
    const all = by("table");
    all.replaceChildren();
    if (counts === null) return;
    const head = node("tr", node("thead", all));
    node("td", head);
    for (const rank of counts.columns) node("th", head, `to ${rank}`).scope = "col";
    const body = node("tbody", all);
    counts.rows.forEach((source, row) => {
      const line = node("tr", body);
      node("th", line, `from ${source}`).scope = "row";
      counts.cells[row].forEach((cell, column) => node("td", line, cell, counts.columns[column] === source ? "own" : ""));
    });
  };

  const copy = async (pre, said) => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      said.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(pre);
      said.textContent = "selected: press Ctrl+C";
    }
  };

  const calls = (texts) => {
    const all = by("calls");
    all.replaceChildren();
    for (const [key, name] of [["rust", "The macro’s item"], ["python", "Python"], ["c", "C"]]) {
      const part = node("div", all, undefined, "call");
      const row = node("div", part, undefined, "row");
      const heading = node("h4", row, name);
      heading.id = `call-${key}`;
      const pre = node("pre", part, texts[key], "text");
      Object.assign(pre, { tabIndex: 0, role: "region" });
      pre.setAttribute("aria-labelledby", heading.id);
      const copier = button(row, "Copy", () => copy(pre, said));
      copier.setAttribute("aria-label", `Copy: ${name}`);
      const said = node("output", row);
    }
  };

  const show = (item) => {
    shown = item;
    by("plan").hidden = false;
    by("results-heading").textContent = item.name === null ? "Plan" : `Plan of ${item.name}`;
    pairs(by("layouts"), [["from", item.layouts[0]], ["to", item.layouts[1]]], true);
    pairs(by("figures"), item.figures, false);
    pictures(item);
    table(item.table);
    calls(item.calls);
    by("explained").textContent = item.explained;
    by("saved").textContent = "";
    const figure = (name) => (item.figures.find((entry) => entry[0] === name) || ["", ""])[1];
    say(`Planned: ${figure("ranks")}.`, "", false);
  };

  const listItems = (names, more) => {
    const list = by("item");
    by("item-row").hidden = names.length < 2;
    const now = [...list.options].filter((option) => !option.disabled).map((option) => option.textContent);
    if (now.length === names.length && now.every((name, at) => name === names[at])) return;
    list.replaceChildren(...names.map((name) => node("option", null, name)));
    if (more > 0) node("option", list, `${counted(more, "item")} besides`).disabled = true;
  };

  // --- the server ---
  const request = () => JSON.stringify({
    text: text.value,
    set: by("values").value.split("\n").map((line) => line.trim()).filter(Boolean),
    name: by("item-row").hidden ? null : by("item").value || null,
    relabel: by("relabel").checked,
  });

  const post = async (path, signal) => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: request(), signal });
    if (response.ok) return response.json();
    return { mistakes: [{ message: (await response.text()).trim(), place: null, instead: null }], more: 0, items: [], more_items: 0, item: null };
  };

  const take = (answer) => {
    mistakes = answer.mistakes;
    mark();
    listMistakes(answer.more);
    if (mistakes.length > 0) sayMistakes(answer.more);
    else listItems(answer.items, answer.more_items);
    if (answer.item !== null) show(answer.item);
    by("results").classList.toggle("stale", mistakes.length > 0);
    by("stale").hidden = mistakes.length === 0 || shown === null;
  };

  const plan = async () => {
    if (asked) asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const { text: words, set } = JSON.parse(request());
    history.replaceState(null, "", `#${new URLSearchParams({ text: words, set: set.join("\n") })}`);
    by("results").setAttribute("aria-busy", "true");
    try {
      take(await post("/plan", signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      say("The server does not answer: start redist serve again.", "", true);
    }
    by("results").setAttribute("aria-busy", "false");
  };

  const changed = () => {
    // Marks of the old text would stand at other words.
    mistakes = [];
    mark();
    clearTimeout(timer);
    timer = setTimeout(plan, 250);
  };

  const save = async () => {
    const answer = await post("/file").catch(() => ({ file: null }));
    by("saved").textContent = answer.file ? "saved" : "not saved: see the mistakes";
    if (!answer.file) return;
    const link = node("a", null);
    link.href = URL.createObjectURL(new Blob([answer.file], { type: "text/html" }));
    link.download = `${shown && shown.name ? shown.name : "plan"}.html`;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  // The address keeps the text, so that links within the page leave it alone.
  const follow = (event) => {
    const link = event.target.closest("a[href^='#']");
    const target = link && document.getElementById(link.hash.slice(1));
    if (!target) return;
    event.preventDefault();
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  };

  const start = () => {
    document.addEventListener("click", follow);
    EXAMPLES.forEach(([name], at) => { node("option", by("example"), name).value = at; });
    by("example").addEventListener("change", () => {
      const [, words, values] = EXAMPLES[by("example").value];
      [text.value, by("values").value] = [words, values || ""];
      changed();
    });
    text.addEventListener("input", changed);
    for (const id of ["values", "relabel", "item"]) by(id).addEventListener("input", changed);
    by("form").addEventListener("submit", (event) => event.preventDefault());
    by("save").addEventListener("click", save);
    text.addEventListener("keydown", (event) => {
      if (event.key !== "F8") return;
      event.preventDefault();
      nextMistake();
    });
    addEventListener("resize", grow);
    const kept = new URLSearchParams(location.hash.slice(1));
    [text.value, by("values").value] = [kept.get("text") || EXAMPLES[0][1], kept.get("set") || ""];
    mark();
    plan();
  };

  start();
})();
