"use strict";
// Shows what the planner has said, which is the element `data`. Nothing is planned here: an index is looked up in blocks,
// a block's first local index counts on, and ranks, messages and steps are looked up by their numbers.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const by = (id) => document.getElementById(id);
  const dimensions = data.extents.length;
  const [down, right] = data.axes;
  const names = ["source", "destination"];
  const cellAt = (at) => at.join(",");
  const rankAt = data.sides.map((side) => new Map(side.ranks.map((rank) => [cellAt(rank.at), rank])));
  const rankOf = data.sides.map((side) => new Map(side.ranks.map((rank) => [rank.rank, rank])));
  const messageOf = new Map(data.messages.map((message) => [message[0] + ">" + message[1], message]));
  const elements = (text) => text + (text === "1" ? " element" : " elements");
  const index = data.index.slice();
  let pair = data.pair.slice();
  let step = 0;
  let timer = 0;

  // --- the grid that pictures are drawn on: lines are divided into rows ---
  const isLine = dimensions === 1;
  const shown = (dimension) => data.shown[dimension][1] - data.shown[dimension][0];
  const columns = isLine ? Math.max(1, Math.min(data.row, shown(0))) : shown(right);
  const rows = isLine ? Math.ceil(shown(0) / columns) : shown(down);
  const WIDTH = 600;
  const ROW = 26;
  const HEIGHT = isLine ? rows * ROW : Math.min(1.1, Math.max(0.45, rows / columns)) * WIDTH;

  const svg = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(node);
    return node;
  };

  // Rectangles of the picture that show these indices: [start, end) down and to the right.
  const areas = (vertical, horizontal) => {
    if (!isLine) {
      const [y0, x0] = [data.shown[down][0], data.shown[right][0]];
      return [{
        x: (horizontal[0] - x0) / columns * WIDTH, width: (horizontal[1] - horizontal[0]) / columns * WIDTH,
        y: (vertical[0] - y0) / rows * HEIGHT, height: (vertical[1] - vertical[0]) / rows * HEIGHT,
      }];
    }
    const found = [];
    let [start, end] = [horizontal[0] - data.shown[0][0], horizontal[1] - data.shown[0][0]];
    while (start < end) {
      const row = Math.floor(start / columns);
      const stop = Math.min(end, (row + 1) * columns);
      found.push({
        x: (start - row * columns) / columns * WIDTH, width: (stop - start) / columns * WIDTH,
        y: row * ROW + 1, height: ROW - 3,
      });
      start = stop;
    }
    return found;
  };

  const lists = (side) => isLine ? [[null], data.sides[side].blocks[0]]
    : [data.sides[side].blocks[down], data.sides[side].blocks[right]];
  const blockAt = (blocks, at) => blocks.find((block) => at >= block[0] && at < block[1]);

  // The rank that owns a block of the picture at the slice that is shown.
  const owner = (side, vertical, horizontal) => {
    const at = index.map((here, dimension) => blockAt(data.sides[side].blocks[dimension], here)[2]);
    if (vertical) at[down] = vertical[2];
    at[right] = horizontal[2];
    return rankAt[side].get(cellAt(at));
  };

  const layers = names.map((name) => {
    const picture = by(name);
    picture.setAttribute("viewBox", `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`);
    picture.dataset.rows = rows;
    picture.dataset.columns = columns;
    const hatch = svg("pattern", { id: name + "-hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)" }, svg("defs", {}, picture));
    svg("rect", { width: 7, height: 7, fill: "#fff", "fill-opacity": 0.55 }, hatch);
    svg("rect", { width: 3, height: 7, fill: "#111418" }, hatch);
    return ["blocks", "common", "picked", "mark"].map((layer) => svg("g", { class: layer }, picture));
  });

  const draw = (side) => {
    const [blocks, common, outlines] = layers[side];
    for (const layer of [blocks, common, outlines]) layer.replaceChildren();
    const [vertical, horizontal] = lists(side);
    for (const high of vertical) {
      for (const wide of horizontal) {
        const rank = owner(side, high, wide);
        const isPicked = rank.rank === pair[side];
        const dim = pair[side] === null || isPicked ? 1 : 0.38;
        for (const area of areas(high, wide)) {
          svg("rect", { ...area, fill: rank.fill, "fill-opacity": dim, stroke: "#fff", "stroke-width": 1 }, blocks);
          if (isPicked) svg("rect", { ...area, fill: "none", stroke: "#111418",
            "stroke-width": Math.min(2.5, Math.max(1, area.width / 8)) }, outlines);
          const letters = String(rank.rank);
          const size = Math.min(15, area.height - 2, (area.width - 3) / letters.length / 0.56);
          if (size >= 7.5) {
            const text = svg("text", { x: area.x + area.width / 2, y: area.y + area.height / 2 + size * 0.35, "font-size": size,
              "text-anchor": "middle", fill: dim < 1 ? "#111418" : rank.ink }, isPicked ? outlines : blocks);
            if (isPicked) {
              text.setAttribute("font-weight", 700);
              for (const [key, value] of [["stroke", rank.fill], ["stroke-width", size / 3], ["paint-order", "stroke"]])
                text.setAttribute(key, value);
            }
            text.textContent = letters;
          }
        }
      }
    }
    hatch(side, common);
  };

  // The pieces of the message between the picked ranks.
  const hatch = (side, layer) => {
    if (pair[0] === null || pair[1] === null) return;
    const [from, to] = [rankOf[0].get(pair[0]), rankOf[1].get(pair[1])];
    if (!from || !to) return;
    const of = (dimension) => data.pieces[dimension].filter((piece) =>
      piece[2] === from.at[dimension] && piece[3] === to.at[dimension]);
    const isCut = (dimension) => !data.axes.includes(dimension);
    for (let dimension = 0; dimension < dimensions; dimension += 1)
      if (isCut(dimension) && !blockAt(of(dimension), index[dimension])) return;
    for (const high of isLine ? [null] : of(down))
      for (const wide of of(right))
        for (const area of areas(high, wide)) svg("rect", { ...area, fill: `url(#${names[side]}-hatch)` }, layer);
  };

  // --- the element ---
  const mark = () => {
    for (const side of [0, 1]) {
      const layer = layers[side][3];
      layer.replaceChildren();
      const [high, wide] = [[index[down], index[down] + 1], [index[right], index[right] + 1]];
      const [area] = areas(high, wide);
      const centre = [area.x + area.width / 2, area.y + area.height / 2];
      const size = [Math.max(area.width, 7), Math.max(area.height, 7)];
      for (const [stroke, width] of [["#fff", 6], ["#111418", 2.5]])
        svg("rect", { x: centre[0] - size[0] / 2, y: centre[1] - size[1] / 2, width: size[0], height: size[1], fill: "none", stroke,
          "stroke-width": width }, layer);
      if (!isLine && size[0] < 12) svg("circle", { cx: centre[0], cy: centre[1], r: 9, fill: "none", stroke: "#111418",
        "stroke-width": 1.5 }, layer);
    }
  };

  const ranksHere = () => [0, 1].map((side) => owner(side,
    isLine ? null : blockAt(data.sides[side].blocks[down], index[down]), blockAt(data.sides[side].blocks[right], index[right])));

  const read = () => {
    by("element").textContent = isLine ? `element ${index[0]}` : `element (${index.join(", ")})`;
    const here = ranksHere();
    here.forEach((rank, side) => {
      const name = names[side];
      const local = [];
      index.forEach((at, dimension) => {
        const block = blockAt(data.sides[side].blocks[dimension], at);
        local[data.sides[side].axes[dimension]] = block[3] + (at - block[0]);
      });
      by(name + "-rank").textContent = `rank ${rank.rank}`;
      by(name + "-coordinates").textContent = rank.coordinates;
      by(name + "-local").textContent = isLine ? String(local[0]) : `(${local.join(", ")})`;
      by(name + "-array").textContent = rank.local;
    });
    const message = messageOf.get(here[0].rank + ">" + here[1].rank);
    by("message").textContent = here[0].rank === here[1].rank
      ? `stays on rank ${here[0].rank}, with ${elements(message[2])} in all`
      : `rank ${here[0].rank} → rank ${here[1].rank}, ${elements(message[2])}`;
    for (const input of by("index").querySelectorAll("input")) input.value = index[input.dataset.dimension];
    mark();
  };

  const clamp = (dimension, at) => Math.max(data.shown[dimension][0], Math.min(data.shown[dimension][1] - 1, at));

  const moveTo = (dimension, at) => {
    index[dimension] = clamp(dimension, at);
    if (!data.axes.includes(dimension)) drawBoth();
    read();
  };

  const drawBoth = () => { draw(0); draw(1); };

  const point = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = (WIDTH + 4) / box.width;
    const [x, y] = [(event.clientX - box.left) * scale - 2, (event.clientY - box.top) * scale - 2];
    const column = Math.max(0, Math.min(columns - 1, Math.floor(x / WIDTH * columns)));
    const row = Math.max(0, Math.min(rows - 1, Math.floor(y / HEIGHT * rows)));
    if (isLine) {
      index[0] = clamp(0, data.shown[0][0] + row * columns + column);
    } else {
      index[down] = data.shown[down][0] + row;
      index[right] = data.shown[right][0] + column;
    }
    read();
  };

  const arrows = { ArrowLeft: [1, -1], ArrowRight: [1, 1], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  const press = (event) => {
    if (event.key === "Enter" || event.key === " ") {
      pick(...ranksHere().map((rank) => rank.rank));
      event.preventDefault();
    }
    const arrow = arrows[event.key];
    if (!arrow) return;
    event.preventDefault();
    const dimension = data.axes[arrow[0]];
    const side = names.indexOf(event.currentTarget.id);
    if (isLine && arrow[0] === 0) {
      moveTo(0, index[0] + arrow[1] * columns);
    } else if (event.shiftKey) {
      const block = blockAt(data.sides[side].blocks[dimension], index[dimension]);
      moveTo(dimension, arrow[1] > 0 ? block[1] : block[0] - 1);
    } else {
      moveTo(dimension, index[dimension] + arrow[1]);
    }
  };

  // Moves a slice that misses the message of the picked ranks to its first piece.
  const cutThrough = () => {
    const [from, to] = [rankOf[0].get(pair[0]), rankOf[1].get(pair[1])];
    if (!from || !to) return;
    data.pieces.forEach((pieces, dimension) => {
      if (data.axes.includes(dimension)) return;
      const own = pieces.filter((piece) => piece[2] === from.at[dimension] && piece[3] === to.at[dimension]);
      if (own.length && !blockAt(own, index[dimension])) index[dimension] = own[0][0];
    });
  };

  // --- ranks that are picked ---
  const pick = (source, destination) => {
    pair = [source, destination];
    cutThrough();
    [by("pick-source"), by("pick-destination")].forEach((list, side) => {
      list.value = pair[side] === null ? "" : String(pair[side]);
    });
    const message = messageOf.get(source + ">" + destination);
    const isWhole = source !== null && destination !== null;
    by("picked").textContent = !isWhole ? "" : message
      ? (source === destination ? `rank ${source} keeps ` : `rank ${source} → rank ${destination}: `) + elements(message[2])
      : `rank ${source} → rank ${destination}: no element on this page`;
    for (const cell of by("matrix").querySelectorAll("td"))
      cell.classList.toggle("picked", cell.dataset.source === String(source) && cell.dataset.destination === String(destination));
    drawBoth();
    read();
  };

  const listRanks = () => {
    names.forEach((name, side) => {
      const list = by("pick-" + name);
      const option = (value, text) => {
        const node = document.createElement("option");
        node.value = value;
        node.textContent = text;
        list.appendChild(node);
      };
      option("", "all");
      for (const rank of data.sides[side].ranks) option(String(rank.rank), String(rank.rank));
      list.addEventListener("change", () => {
        const chosen = list.value === "" ? null : Number(list.value);
        pick(side === 0 ? chosen : pair[0], side === 1 ? chosen : pair[1]);
      });
    });
    by("pick-none").addEventListener("click", () => pick(null, null));
  };

  // --- the matrix of messages ---
  const matrix = () => {
    const table = by("matrix");
    const node = (name, parent, text, className) => {
      const made = document.createElement(name);
      if (text !== undefined) made.textContent = text;
      if (className) made.className = className;
      return parent.appendChild(made);
    };
    const head = node("tr", node("thead", table));
    node("th", head, "from ↓ to →");
    for (const rank of data.matrix.columns) node("th", head, String(rank), "rank").scope = "col";
    const body = node("tbody", table);
    data.matrix.rows.forEach((source, row) => {
      const line = node("tr", body);
      node("th", line, `rank ${source}`).scope = "row";
      data.matrix.columns.forEach((destination, column) => {
        const message = messageOf.get(source + ">" + destination);
        const cell = node("td", line, undefined, source === destination ? "stays" : "");
        Object.assign(cell.dataset, { source, destination });
        const button = node("button", cell, message ? message[2] : "·");
        button.type = "button";
        button.tabIndex = row === 0 && column === 0 ? 0 : -1;
        button.setAttribute("aria-label", `rank ${source} to rank ${destination}: ${elements(message ? message[2] : "0")}`);
        node("i", button).style.width = `${100 * (message ? message[3] : 0)}%`;
        button.addEventListener("click", () => pick(source, destination));
      });
    });
    table.addEventListener("keydown", (event) => {
      const arrow = arrows[event.key];
      const cell = event.target.closest("td");
      if (!arrow || !cell) return;
      event.preventDefault();
      const [row, column] = [cell.parentNode.sectionRowIndex + (arrow[0] === 0 ? arrow[1] : 0),
        cell.cellIndex + (arrow[0] === 1 ? arrow[1] : 0)];
      const next = body.rows[row] && body.rows[row].cells[column];
      const button = next && next.querySelector("button");
      if (!button) return;
      event.target.tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
    });
    by("matrix-note").textContent = data.matrix.note || "";
  };

  // --- the schedule ---
  const show = (to) => {
    const steps = data.schedule.steps;
    step = Math.max(0, Math.min(steps.length - 1, to));
    by("step").value = step;
    const now = steps[step];
    for (const cell of by("matrix").querySelectorAll("td.in-step")) cell.classList.remove("in-step");
    by("step-messages").replaceChildren();
    if (!now) return;
    by("step-title").textContent = `${step + 1} of ${steps.length}; longest message: ${now.longest}`;
    for (const [source, destination, text, share] of now.messages) {
      const line = document.createElement("li");
      const add = (content) => {
        const part = line.appendChild(document.createElement("span"));
        part.textContent = content;
        return part;
      };
      add(source === destination ? `${source} keeps` : `${source} → ${destination}`);
      const bar = add("");
      bar.className = "bar";
      bar.appendChild(document.createElement("i")).style.width = `${100 * share}%`;
      add(elements(text));
      by("step-messages").appendChild(line);
      const cell = by("matrix").querySelector(`td[data-source="${source}"][data-destination="${destination}"]`);
      if (cell) cell.classList.add("in-step");
    }
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    by("play").textContent = "play";
  };

  const schedule = () => {
    by("schedule-title").textContent = data.schedule.heading;
    by("schedule-note").textContent = data.schedule.note || "";
    by("step").max = Math.max(0, data.schedule.steps.length - 1);
    by("step").addEventListener("input", () => { stop(); show(Number(by("step").value)); });
    by("back").addEventListener("click", () => { stop(); show(step - 1); });
    by("next").addEventListener("click", () => { stop(); show(step + 1); });
    by("play").addEventListener("click", () => {
      if (timer) return stop();
      if (step + 1 >= data.schedule.steps.length) show(0);
      by("play").textContent = "pause";
      timer = setInterval(() => {
        show(step + 1);
        if (step + 1 >= data.schedule.steps.length) stop();
      }, 900);
    });
    show(0);
  };

  // --- index, texts ---
  const indices = () => {
    index.forEach((at, dimension) => {
      const label = by("index").appendChild(document.createElement("label"));
      label.textContent = isLine ? "element " : `dimension ${dimension} `;
      const input = (type) => {
        const made = label.appendChild(document.createElement("input"));
        Object.assign(made, { type, min: data.shown[dimension][0], max: data.shown[dimension][1] - 1, value: at });
        made.dataset.dimension = dimension;
        made.addEventListener("input", () => { if (made.value !== "") moveTo(dimension, Math.trunc(Number(made.value))); });
      };
      if (!data.axes.includes(dimension) && shown(dimension) > 1) input("range");
      input("number");
    });
  };

  const texts = () => {
    for (const [id, text] of [["title", data.title], ["array", data.array], ["notes", data.notes.join(" ")],
      ["explain", data.explain], ["call", data.call]]) by(id).textContent = text;
    data.sides.forEach((side, at) => {
      by(names[at] + "-layout").textContent = side.layout;
      by(names[at] + "-storage").textContent = side.storage;
    });
    by("copy").addEventListener("click", () => {
      const range = document.createRange();
      range.selectNodeContents(by("call"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      const done = () => { by("copied").textContent = "copied"; };
      const selected = () => { if (document.execCommand("copy")) done(); else by("copied").textContent = "selected: press Ctrl+C"; };
      if (navigator.clipboard) navigator.clipboard.writeText(data.call).then(done, selected); else selected();
    });
  };

  texts();
  indices();
  listRanks();
  matrix();
  schedule();
  for (const name of names) {
    by(name).addEventListener("pointermove", point);
    by(name).addEventListener("pointerdown", point);
    by(name).addEventListener("click", () => pick(...ranksHere().map((rank) => rank.rank)));
    by(name).addEventListener("keydown", press);
  }
  pick(pair[0], pair[1]);
})();
