// Tables that sort, filter and turn their pages; headings are buttons, and tell how the rows are ordered.
"use strict";

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/* options: caption, columns, header (the name of the column that names a row), first (names that are shown at first),
   page (rows at once), search (whether rows can be looked for), reason(column, row), cell(column, row),
   wanted(row). Returns { element, refresh }. */
function sortableTable(options) {
  const columns = options.columns;
  const rows = [...(columns[0] ? columns[0].cells : []).keys()];
  const page = options.page || 50;
  const header = columns.find((column) => column.name === options.header) || columns[0];
  const few = options.first && columns.filter((column) => column === header || options.first.includes(column.name));
  const state = { by: null, down: false, start: 0, all: !few, text: "" };
  const body = el("tbody");
  const head = el("tr");
  const count = el("span", { class: "count" });
  const turn = (by) => {
    state.start += by;
    fill();
  };
  const back = el("button", { type: "button", on: { click: () => turn(-page) } }, "Previous");
  const next = el("button", { type: "button", on: { click: () => turn(page) } }, "Next");
  const pager = el("div", { class: "pager" }, back, count, next);
  const tools = el("div", { class: "tools" });
  const table = el("table", null, el("caption", null, options.caption), el("thead", null, head), body);
  const scroller = el("div", { class: "scroll", role: "region", "aria-label": options.caption, tabindex: "0" }, table);
  if (options.search)
    tools.append(
      searchBox("Filter rows", (text) => {
        state.text = text;
        state.start = 0;
        fill();
      }),
    );
  if (few && few.length < columns.length) {
    const more = el(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        on: {
          click: () => {
            state.all = !state.all;
            more.setAttribute("aria-pressed", String(state.all));
            heads();
            fill();
          },
        },
      },
      "All " + columns.length + " columns",
    );
    tools.append(more);
  }

  const visible = () => (state.all ? columns : few);

  function heads() {
    head.replaceChildren(
      ...visible().map((column) => {
        const button = el(
          "button",
          { type: "button", title: column.about, on: { click: () => sort(column) } },
          words(column.name),
          el("span", { class: "order", "aria-hidden": "true" }),
        );
        const better = column.better ? quiet(", " + column.better + " is better") : null;
        return el(
          "th",
          { scope: "col", "aria-sort": ordering(column), class: isNumeric(column) ? "number" : null },
          button,
          better,
        );
      }),
    );
  }

  const ordering = (column) => (state.by !== column ? "none" : state.down ? "descending" : "ascending");

  function sort(column) {
    const first = isNumeric(column) && column.better !== "lower";
    state.down = state.by === column ? !state.down : first;
    state.by = column;
    state.start = 0;
    visible().forEach((each, place) => head.children[place].setAttribute("aria-sort", ordering(each)));
    fill();
    announce("Sorted by " + column.name + ", " + ordering(column));
  }

  function compared(one, other) {
    const [a, b] = [state.by.cells[one], state.by.cells[other]];
    const [noA, noB] = [a === null || a === "", b === null || b === ""];
    if (noA || noB) return noA - noB || one - other; // undefined ones last, whichever way
    const by = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b);
    return (state.down ? -by : by) || one - other;
  }

  function fill() {
    let found = options.wanted ? rows.filter(options.wanted) : rows;
    if (state.text) {
      found = found.filter((row) =>
        columns.some((column) => shown(column, column.cells[row]).toLowerCase().includes(state.text)),
      );
    }
    if (state.by) found = [...found].sort(compared);
    state.start = Math.max(0, Math.min(state.start, Math.floor((found.length - 1) / page) * page));
    const some = found.slice(state.start, state.start + page);
    body.replaceChildren(
      ...some.map((row) =>
        el(
          "tr",
          null,
          visible().map((column) => cell(column, row)),
        ),
      ),
    );
    if (!some.length)
      body.append(el("tr", null, el("td", { colspan: visible().length, class: "none" }, "Nothing fits.")));
    pager.hidden = found.length <= page;
    back.disabled = state.start === 0;
    next.disabled = state.start + page >= found.length;
    count.textContent = found.length
      ? grouped(state.start + 1) + DASH + grouped(state.start + some.length) + " of " + grouped(found.length)
      : "";
  }

  function cell(column, row) {
    const value = column.cells[row];
    const own = options.cell && options.cell(column, row);
    const text = shown(column, value);
    const inside =
      own ||
      (text ? words(text) : isNumeric(column) ? undefinedMark(options.reason && options.reason(column, row)) : null);
    const kind = isNumeric(column) ? "number" : text.length > 40 ? "long" : null;
    return column === header
      ? el("th", { scope: "row", class: kind }, inside || quiet("without a name"))
      : el("td", { class: kind }, inside);
  }

  heads();
  fill();
  const element = el("div", { class: "table" }, tools.children.length ? tools : null, scroller, pager);
  return {
    element,
    refresh: () => {
      state.start = 0;
      fill();
    },
  };
}

function searchBox(label, heard, placeholder) {
  const input = el("input", {
    type: "search",
    placeholder: placeholder || "any text",
    autocomplete: "off",
    on: { input: () => heard(input.value.trim().toLowerCase()) },
  });
  return el("label", { class: "search" }, el("span", null, label), input);
}

// A small table of names and sentences.
function facts(lines) {
  return el(
    "dl",
    { class: "facts" },
    lines
      .filter(([, value]) => value)
      .map(([name, value]) =>
        el("div", null, el("dt", null, words(name)), el("dd", null, value instanceof Node ? value : words(value))),
      ),
  );
}
