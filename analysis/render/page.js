// Sorts and searches the tables of a report. Without it, they are there as they were written.
(() => {
  "use strict";
  // Rows with the rows that they open.
  const groups = (table) => {
    const all = [];
    for (const row of table.tBodies[0].rows) {
      if (row.classList.contains("o")) all[all.length - 1].push(row);
      else all.push([row]);
    }
    return all;
  };
  const factors = { k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
  // "0.707 GFLOP" is 7.07e8; NaN if it is no number.
  const number = (text) => {
    const found = /^([-+]?[\d.]+(?:e[-+]?\d+)?)\s*([kKMGTP](?=[A-Z]))?/i.exec(text);
    return found ? parseFloat(found[1]) * (factors[found[2]] || 1) : NaN;
  };
  const sort = (head) => {
    const table = head.closest("table");
    const numbers = head.classList.contains("n");
    // Numbers: the largest first, then the smallest.
    const first = numbers ? "descending" : "ascending";
    const down = (head.getAttribute("aria-sort") === first ? !numbers : numbers) ? -1 : 1;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
    const all = groups(table).map((rows) => {
      const text = rows[0].cells[head.cellIndex].textContent.trim();
      return { rows, text, value: number(text) };
    });
    all.sort((a, b) => {
      if (!numbers) return down * a.text.localeCompare(b.text, "en", { numeric: true });
      // Unknown values are last, however it is sorted.
      if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
      return down * (a.value - b.value);
    });
    table.tBodies[0].append(...all.flatMap((one) => one.rows));
  };
  const search = (field) => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = groups(document.getElementById(field.dataset.table));
    let found = 0;
    for (const rows of all) {
      const cells = rows.flatMap((row) => [...row.cells]);
      const text = cells.map((cell) => cell.textContent).join(" ").toLowerCase();
      const shown = words.every((word) => text.includes(word));
      for (const row of rows) row.hidden = !shown;
      found += shown;
    }
    field.nextSibling.textContent = words.length ? found + " of " + all.length + " rows" : "";
  };
  let tables = 0;
  const prepare = (table) => {
    if (table.id) return;
    table.id = "t" + tables++;
    for (const head of table.tHead.rows[0].cells) head.tabIndex = 0;
    const few = 8;
    if (table.tBodies[0].rows.length <= few) return;
    const field = Object.assign(document.createElement("input"), {
      type: "search", placeholder: "Search this table",
    });
    field.setAttribute("aria-label", field.placeholder);
    field.dataset.table = table.id;
    const found = Object.assign(document.createElement("span"), { className: "found" });
    table.parentNode.before(field, found);
  };
  const prepare_open = (place) => {
    for (const table of place.querySelectorAll("table")) {
      if (table.checkVisibility ? table.checkVisibility() : true) prepare(table);
    }
  };
  const open_around = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  };
  document.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (head) return sort(head);
    const row = event.target.closest("tbody tr");
    const details = row && row.querySelector(":scope > td > details");
    const ignored = event.target.closest("summary, a") || String(getSelection());
    if (details && !ignored) details.open = !details.open;
  });
  document.addEventListener("keydown", (event) => {
    const head = event.target.closest("th");
    if (!head || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    sort(head);
  });
  document.addEventListener("input", (event) => {
    if (event.target.dataset.table) search(event.target);
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.open) prepare_open(event.target);
  }, true);
  addEventListener("hashchange", open_around);
  open_around();
  prepare_open(document);
})();
