"use strict";
// Tables: click a heading to sort, type to filter. Without JavaScript they are plain tables.
(() => {
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));

  const keyOf = (cell) => {
    const text = cell.dataset.key ?? cell.textContent;
    return cell.classList.contains("n") ? parseFloat(text) : text;
  };

  const sort = (table, column, heading) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row.cells[column]), row]);
    const known = rows.filter(([key]) => !Number.isNaN(key));
    const unknown = rows.filter(([key]) => Number.isNaN(key)); // last, whatever the direction
    known.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
    body.append(...[...known, ...unknown].map(([, row]) => row));
  };

  const filter = (table, words, count) => {
    const rows = [...table.tBodies[0].rows];
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  };

  for (const section of document.querySelectorAll("section.data")) {
    const table = section.querySelector("table");
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const label = heading.querySelector(".head");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "head";
      button.textContent = label.textContent;
      if (label.dataset.tip) button.dataset.tip = label.dataset.tip;
      button.addEventListener("click", () => sort(table, column, heading));
      label.replaceWith(button);
    });
    const tools = section.querySelector(".tools");
    const box = tools.querySelector("input");
    tools.hidden = table.tBodies[0].rows.length < 5;
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      filter(table, words, tools.querySelector("output"));
    });
  }

  const folded = () => document.querySelectorAll("details.legend, section.data > details");
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...folded()].filter((details) => !details.open);
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));
})();
