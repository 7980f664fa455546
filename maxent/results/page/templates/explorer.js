// The g explorer: errors and inferred curves at the candidates of the study, all computed beforehand.
(() => {
  const source = document.getElementById("explorer-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const levels = data.g[0].length;
  let now = data.recommended;
  let chosen = Math.floor(data.lists.length / 2);

  const make = (space) => (tag, attributes = {}, ...children) => {
    const node = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children); // texts stay texts
    return node;
  };
  const html = make("http://www.w3.org/1999/xhtml");
  const svg = make("http://www.w3.org/2000/svg");
  const digits = (x) => (x === null ? "–" : x.toFixed(4));
  const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");
  const tick = (x) => String(+x.toFixed(3)).replace(/^0\./, ".");

  // Axes with ticks; returns the drawing and the functions from numbers to its coordinates.
  const axes = (size, xs, ys, xLabel, yLabel) => {
    const [width, height] = size;
    const [left, right, top, bottom] = [46, 12, 10, 40];
    const scale = (ends, from, to) => (v) => from + ((v - ends[0]) / (ends[1] - ends[0])) * (to - from);
    const x = scale([xs[0], xs.at(-1)], left, width - right);
    const y = scale([ys[0], ys.at(-1)], height - bottom, top);
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    for (const v of xs) {
      drawing.append(svg("path", { class: "grid", d: path([[x(v), y(ys[0])], [x(v), y(ys.at(-1))]]) }));
      const text = svg("text", { x: x(v), y: height - bottom + 16, "text-anchor": "middle" }, tick(v));
      drawing.append(text);
    }
    for (const v of ys) {
      drawing.append(svg("path", { class: "grid", d: path([[x(xs[0]), y(v)], [x(xs.at(-1)), y(v)]]) }));
      drawing.append(svg("text", { x: left - 7, y: y(v) + 4, "text-anchor": "end" }, tick(v)));
    }
    const middle = (top + height - bottom) / 2;
    drawing.append(
      svg("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle", class: "label" }, xLabel),
      svg("text", { x: 0, y: 0, "text-anchor": "middle", class: "label", transform: `translate(11 ${middle}) rotate(-90)` }, yLabel),
    );
    return { drawing, x, y };
  };
  const fifths = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const round = (low, high) => {
    const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((s) => (high - low) / s <= 5) ?? 0.5;
    const first = Math.floor(low / step);
    const ticks = [];
    for (let k = first; ticks.length < 2 || ticks.at(-1) < high; k++) ticks.push(k * step);
    return ticks;
  };

  // --- g: a slider for two grades, a triangle for three, and a list of all candidates ---
  const name = (k) => `${data.labels[k]}${k === data.recommended ? " (recommended)" : ""}`;
  const options = (names) => names.map((text, k) => html("option", { value: k }, text));
  const menu = html("select", { id: "g-menu" }, ...options(data.g.map((_, k) => name(k))));
  const slider = html("input", { type: "range", id: "g-slider", min: 0, max: data.g.length - 1, step: 1, "aria-label": "g" });
  const reset = html("button", { type: "button" }, "Recommended");
  const control = html("div", { class: "control" });
  const map = html("div", { class: "chart map" });
  control.append(html("label", { for: "g-menu" }, "g = "), menu, reset);
  if (levels === 2) {
    control.append(html("div", { class: "slider" }, slider, html("div", { class: "ends", "aria-hidden": "true" }, html("span", {}, data.labels[0]), html("span", {}, data.labels.at(-1)))));
  }

  const sweep = () => {
    const all = data.rms.flat().filter((v) => v !== null);
    const { drawing, x, y } = axes([380, 250], fifths, round(Math.min(...all), Math.max(...all)), "g for grade 1", "mean RMS");
    drawing.setAttribute("aria-label", "Mean RMS error over g, a line for each threshold");
    data.rms.forEach((row, t) => {
      const points = row.map((v, k) => [x(data.g[k][0]), y(v)]);
      drawing.append(svg("path", { class: `line t${t}`, d: path(points) }));
      for (const [cx, cy] of points) drawing.append(svg("circle", { class: `dot t${t}`, cx, cy, r: 2.2 }));
    });
    const mark = svg("g", { class: "mark" });
    drawing.append(mark);
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * 380;
      const away = data.g.map((g) => Math.abs(x(g[0]) - at));
      move(away.indexOf(Math.min(...away)));
    });
    map.append(drawing);
    return () => {
      const at = x(data.g[now][0]);
      const ends = [[at, 10], [at, 210]];
      mark.replaceChildren(svg("path", { d: path(ends) }), ...data.rms.map((row, t) => svg("circle", { class: `t${t}`, cx: at, cy: y(row[now]), r: 5 })));
    };
  };

  const triangle = () => {
    const [width, height] = [380, 350];
    const place = (g) => [40 + 300 * (g[1] + g[2] / 2), 305 - 260 * g[2]];
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "listbox", tabindex: 0, "aria-label": "g: arrow keys move" });
    const corners = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    drawing.append(svg("path", { class: "frame", d: `${path(corners.map(place))}Z` }));
    corners.forEach((g, k) => {
      const [px, py] = place(g);
      drawing.append(svg("text", { x: px, y: k === 2 ? py - 16 : py + 28, "text-anchor": "middle", class: "label" }, `${k + 1} = 1`.replace(/^/, "g")));
    });
    const known = data.objective;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const dots = data.g.map((g, k) => {
      const [cx, cy] = place(g);
      const strength = 0.08 + 0.92 * ((known[k] - low) / (high - low || 1));
      const dot = svg("circle", { class: "pick", id: `g-${k}`, role: "option", cx, cy, r: 10, "fill-opacity": strength.toFixed(3), "aria-label": `g = ${name(k)}, mean RMS ${digits(known[k])}` });
      dot.addEventListener("click", () => move(k));
      return dot;
    });
    const [sx, sy] = place(data.g[data.recommended]);
    drawing.append(...dots, svg("text", { x: sx, y: sy + 5, "text-anchor": "middle", class: "star", "aria-hidden": "true" }, "★"));
    const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    drawing.addEventListener("keydown", (event) => {
      const way = arrows[event.key];
      if (!way) return;
      event.preventDefault();
      const [x0, y0] = place(data.g[now]);
      let best = [Infinity, now];
      data.g.forEach((g, k) => {
        const [x1, y1] = place(g);
        const along = (x1 - x0) * way[0] + (y1 - y0) * way[1];
        const across = Math.abs((x1 - x0) * way[1]) + Math.abs((y1 - y0) * way[0]);
        if (along > 1 && along + 2 * across < best[0]) best = [along + 2 * across, k];
      });
      move(best[1]);
    });
    map.append(drawing, html("p", { class: "note" }, "Each dot is a candidate; the stronger its colour, the larger its mean RMS. The star is the recommended g."));
    return () => {
      drawing.setAttribute("aria-activedescendant", `g-${now}`);
      dots.forEach((dot, k) => {
        dot.classList.toggle("now", k === now);
        dot.setAttribute("aria-selected", k === now);
      });
    };
  };

  // --- errors at this g beside those of the recommended g and of other measures ---
  const errors = html("table", { class: "errors" });
  const interval = html("p", { class: "note" });
  const sample = (kind) => {
    const drawing = svg("svg", { viewBox: "0 0 26 8", class: "sample", "aria-hidden": "true" });
    drawing.append(svg("path", { class: kind === "band" ? kind : `line ${kind}`, d: kind === "band" ? "M1,0H25V8H1Z" : kind === "gap" ? "M7,0V8M13,0V8M19,0V8" : "M1,4L25,4" }));
    if (kind === "actual") drawing.append(...[5, 13, 21].map((cx) => svg("circle", { class: "dot actual", cx, cy: 4, r: 2.4 })));
    return drawing;
  };
  const drawErrors = () => {
    const heading = (tip, ...parts) => html("th", { scope: "col" }, html("span", { class: "tip", tabindex: 0, "data-tip": tip }, ...parts));
    const heads = data.thresholds.map(({ label, short }, t) => heading(`mean RMS error of the inferred curves, ${label}`, ...(levels === 2 ? [sample(`t${t}`)] : []), short));
    const of = (k) => [...data.rms.map((row) => row[k]), data.objective[k]];
    const rows = [
      [data.measures[now], of(now)],
      ...(now === data.recommended ? [] : [[`${data.measures[data.recommended]}, recommended`, of(data.recommended)]]),
      ...data.others.map((other) => [other.label, [...other.rms, other.mean]]),
    ];
    errors.replaceChildren(
      html("thead", {}, html("tr", {}, heading(data.meanings.rms, "mean RMS"), ...heads, heading(data.meanings.objective, "mean"))),
      html("tbody", {}, ...rows.map(([first, rest]) => html("tr", {}, html("th", { scope: "row" }, first), ...rest.map((v) => html("td", {}, digits(v)))))),
    );
    const known = data.low[now] !== null;
    interval.textContent = known ? `95 % interval of the mean of ${data.measures[now]}: ${digits(data.low[now])} to ${digits(data.high[now])}` : "";
  };

  // --- curves of one list ---
  const expected = data.align === "expected"; // then a point for each document that is shown, else for each rank
  const inferred = (list, t, k) => list.curves[t][k].map((p, j) => {
    const precision = p / 10000;
    if (expected) return [list.found[t][j] / list.base[t], precision, list.at[t][j]];
    return [Math.min((precision * data.ranks[j]) / list.base[t], 1), precision, data.ranks[j]];
  });
  const between = (points, at, by) => {
    const right = points.findIndex((point) => point[by] >= at - 1e-9);
    if (right < 1) return points.at(right && -1);
    const [a, b] = [points[right - 1], points[right]];
    const share = b[by] > a[by] ? (at - a[by]) / (b[by] - a[by]) : 1;
    return a.map((v, j) => v + share * (b[j] - v));
  };
  const curves = html("div", { class: "curves" });
  const drawCurves = () => {
    const list = data.lists[chosen];
    const charts = data.thresholds.map(({ label }, t) => {
      const { drawing, x, y } = axes([380, 300], fifths, fifths, "recall", "precision");
      const points = inferred(list, t, now);
      const actual = list.found[t].map((found, j) => [found / list.base[t], found / list.at[t][j], list.at[t][j]]);
      const flat = (all) => all.map(([recall, precision]) => [x(recall), y(precision)]);
      if (now === data.recommended && list.bands[t]) {
        const [low, high] = list.bands[t].map((end) => points.map(([recall], j) => [x(recall), y(end[j] / 10000)]));
        drawing.append(svg("path", { class: "band", d: `${path([...low, ...high.reverse()])}Z` }));
      }
      for (const point of actual) {
        const other = data.align.endsWith("rank") ? between(points, point[2], 2) : [point[0], between(points, point[0], 0)[1]];
        drawing.append(svg("path", { class: "gap", d: path(flat([point, other])) }));
      }
      if (now !== data.recommended) drawing.append(svg("path", { class: "line best", d: path(flat(inferred(list, t, data.recommended))) }));
      const start = data.align.endsWith("rank") ? [] : [[x(0), y(points[0][1])]]; // it goes on to recall 0
      drawing.append(svg("path", { class: "line inferred", d: path([...start, ...flat(points)]) }));
      drawing.append(svg("path", { class: "line actual", d: path(flat(actual)) }));
      for (const [cx, cy] of flat(actual)) drawing.append(svg("circle", { class: "dot actual", cx, cy, r: 2.4 }));
      const rms = digits(list.rms[t][now]);
      drawing.setAttribute("aria-label", `Actual and inferred curve, ${label}: RMS ${rms}`);
      const title = html("figcaption", {}, html("b", {}, label), html("span", { class: "rms" }, `RMS ${rms}`), now === data.recommended ? "" : html("span", { class: "note" }, `recommended: ${digits(list.rms[t][data.recommended])}`));
      return html("figure", { class: "chart" }, title, drawing);
    });
    curves.replaceChildren(...charts);
    said.textContent = `g = ${name(now)}: run ${list.run}, topic ${list.topic}, value of ${data.name} ${digits(list.values[now])}`;
  };

  const mean = (row) => row.reduce((sum, v) => sum + v[data.recommended], 0) / row.length;
  const lists = html("select", { id: "g-list" }, ...options(data.lists.map((list) => `${list.run}, topic ${list.topic}: RMS ${digits(mean(list.rms))}`)));
  const step = (by, text, label) => {
    const button = html("button", { type: "button", "aria-label": label }, text);
    button.addEventListener("click", () => pick((chosen + by + data.lists.length) % data.lists.length));
    return button;
  };
  const said = html("p", { class: "said", "aria-live": "polite" });
  const key = html("p", { class: "key" }, ...[["actual", "actual curve"], ["inferred", `inferred from ${data.name}`], ["best", "inferred at the recommended g"], ["band", `${data.band} band at the recommended g`], ["gap", "differences, of which RMS is the root mean square"]].map(([kind, text]) => html("span", {}, sample(kind), ` ${text}`)));

  let drawMap = () => {};
  const move = (k) => {
    now = k;
    menu.value = slider.value = k;
    slider.setAttribute("aria-valuetext", name(k));
    drawMap();
    drawErrors();
    if (data.lists.length) drawCurves();
  };
  const pick = (k) => {
    chosen = k;
    lists.value = k;
    drawCurves();
  };
  menu.addEventListener("change", () => move(+menu.value));
  slider.addEventListener("input", () => move(+slider.value));
  reset.addEventListener("click", () => move(data.recommended));
  lists.addEventListener("change", () => pick(+lists.value));

  const left = html("div", {}, control, map);
  const right = html("div", {}, html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Mean errors at this g" }, errors), interval);
  const here = document.getElementById("explorer-here");
  here.append(html("div", { class: "card" }, html("div", { class: "top" }, left, right)));
  if (data.lists.length) {
    const bar = html("div", { class: "control" }, html("label", { for: "g-list" }, "List "), lists, step(-1, "←", "List with a smaller error"), step(1, "→", "List with a larger error"));
    here.firstChild.append(bar, said, curves, key);
    lists.value = chosen;
  }
  if (levels === 2) drawMap = sweep();
  if (levels === 3) drawMap = triangle();
  move(now);
})();
