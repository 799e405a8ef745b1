// Sorts and filters tables, and opens folded sections that links lead to. Without it every row is shown, in the order of
// the page.
(() => {
  "use strict";
  const NUMBER = /^([<>]?)\s*([-+\u2212]?)(\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)\s?%?(?: \[.*\])?$/i;
  const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

  // What a cell is sorted by: numbers come before words; "<1e-16" is just below its number.
  const key = (text) => {
    const found = NUMBER.exec(text);
    if (!found) return { rank: text ? 1 : 2, text };
    const size = Number(found[3].replaceAll(",", ""));
    const side = found[1] === "<" ? -1 : found[1] === ">" ? 1 : 0;
    return { rank: 0, size: found[2] && found[2] !== "+" ? -size : size, side };
  };
  const order = (a, b) => (a.rank ? words.compare(a.text, b.text) : a.size - b.size || a.side - b.side);
  const written = (cell) => cell.textContent.trim();

  const sorted = (rows, column, direction) => {
    if (direction === "none") return rows;
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => [key(written(row.cells[column])), row]);
    // Blanks stay last whichever way the rest is turned.
    keyed.sort(([a], [b]) => a.rank - b.rank || (a.rank === 2 ? 0 : sign * order(a, b)));
    return keyed.map(([, row]) => row);
  };

  const letSort = (table, rows) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const direction = NEXT[head.getAttribute("aria-sort")];
        heads.forEach((other) => other.setAttribute("aria-sort", other === head ? direction : "none"));
        table.tBodies[0].append(...sorted(rows, column, direction));
      });
    });
  };

  const letFilter = (box, rows) => {
    const input = box.querySelector("input");
    const status = box.querySelector("[role=status]");
    const texts = rows.map((row) => [...row.cells].map(written).join("\n").toLowerCase());
    const filter = () => {
      const asked = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row, at) => { row.hidden = !asked.every((word) => texts[at].includes(word)); });
      const left = rows.filter((row) => !row.hidden).length;
      status.textContent = asked.length ? `${left} of ${rows.length} rows` : `all ${rows.length} rows`;
    };
    input.addEventListener("input", filter);
    box.hidden = false;
    if (input.value) filter(); // a browser that comes back to the page fills it in again
  };

  // Browsers open what a link leads to since 2022 to 2025; older ones would jump to a closed section.
  const reveal = (hash) => {
    for (let place = document.getElementById(hash.slice(1)); place; place = place.parentElement) {
      if (place.localName === "details") place.open = true;
    }
  };
  document.querySelectorAll('a[href^="#"]').forEach((link) => {
    link.addEventListener("click", () => reveal(link.hash));
  });
  addEventListener("hashchange", () => reveal(location.hash));
  reveal(location.hash);

  document.querySelectorAll("table.sortable").forEach((table) => {
    const rows = [...table.tBodies[0].rows];
    letSort(table, rows);
    letFilter(table.parentElement.previousElementSibling, rows);
  });
})();
