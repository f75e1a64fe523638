"use strict";
// Draws the page from the JSON in #data. All text is set as text, never as markup.

const jobs = JSON.parse(document.getElementById("data").textContent);
const FIRST = 6; // rows of units before "show more"
const STEP = 50;
const MOST = 200; // units of one view in the data
const LONGEST = 250000; // pairs of words that are compared to mark the common ones

function make(space, name, attributes, children) {
  const node = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}
const el = (name, attributes = {}, ...children) => make("http://www.w3.org/1999/xhtml", name, attributes, children);
const svg = (name, attributes = {}, ...children) => make("http://www.w3.org/2000/svg", name, attributes, children);

// ---- tables ----

/** Return what a cell is sorted by: its number, else its text in lower case. */
function sortKey(text) {
  const number = parseFloat(text.replace("−", "-").replace("< ", "").replace("∞", "Infinity"));
  return /^[-−+<∞.\d]/.test(text) && !Number.isNaN(number) ? number : text.toLowerCase();
}

function compareCells(a, b) {
  const [x, y] = [sortKey(a), sortKey(b)];
  if (typeof x === typeof y) return typeof x === "number" ? x - y : x.localeCompare(y);
  return typeof x === "number" ? -1 : 1;
}

/** Return a table that sorts by its headers; `limit` rows are shown at first. */
function sortedTable(spec, { limit = 25, units = false, rows = null, of = null, filter = null, texts = 2 } = {}) {
  const tones = new Map(spec.tones.map(([row, column, tone]) => [`${row},${column}`, tone]));
  const all = (rows || spec.rows.keys().toArray?.() || [...spec.rows.keys()]).slice();
  let order = all.slice();
  let shown = limit;
  let query = "";
  const body = el("tbody");
  const count = el("span", { class: "note" });
  const more = el("button", { type: "button", class: "more", click: () => { shown += STEP; draw(); } });
  const places = spec.columns.map((_, place) => place).filter((place) => !spec.columns[place].detail);
  const rank = (place) => ["key", "text", "headline"].indexOf(spec.columns[place].role) + 1 || 9;
  if (units) places.sort((a, b) => rank(a) - rank(b));
  const heads = places.map((place) => {
    const column = spec.columns[place];
    const button = el("button", { type: "button", click: () => sort(place) }, column.label);
    const classes = `${column.right ? "right " : ""}${narrow(column, place) ? "" : "wide"}`;
    return el("th", { scope: "col", class: classes }, button);
  });

  function narrow(column, place) {
    if (column.role === "text") return units || place <= texts;
    return units || ["key", "headline", "interval", "verdict", "plain"].includes(column.role);
  }

  function sort(place) {
    const head = heads[places.indexOf(place)];
    const rising = head.getAttribute("aria-sort") === "descending" || !head.hasAttribute("aria-sort") && !spec.columns[place].right;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    order = all.slice().sort((a, b) => {
      const [x, y] = [spec.rows[a][place], spec.rows[b][place]];
      if ((x === "" || x === "–") !== (y === "" || y === "–")) return x === "" || x === "–" ? 1 : -1;
      return rising ? compareCells(x, y) : compareCells(y, x);
    });
    draw();
  }

  function cell(row, place, marked) {
    const column = spec.columns[place];
    const text = spec.rows[row][place];
    const tone = tones.get(`${row},${place}`) || "";
    const classes = [column.role, column.right ? "right" : "", narrow(column, place) ? "" : "wide", tone].join(" ");
    if (units && column.role === "key") {
      const button = el("button", { type: "button", "aria-expanded": "false", click: () => open(row, button) }, text);
      return el("td", { class: classes }, button);
    }
    const parts = marked.get(place) || [tone ? el("span", {}, text) : text];
    return el("td", { class: classes, "data-label": column.label }, ...parts);
  }

  function line(row) {
    const marked = units ? marks(spec, row) : new Map();
    return places.map((place) => cell(row, place, marked));
  }

  function open(row, button) {
    const line = button.closest("tr");
    const closing = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!closing));
    if (closing) return line.nextSibling.remove();
    line.after(el("tr", { class: "detail" }, el("td", { colspan: places.length }, details(spec, row))));
  }

  function draw() {
    const found = query ? order.filter((row) => spec.rows[row].some((text) => text.toLowerCase().includes(query))) : order;
    body.replaceChildren(...found.slice(0, shown).map((row) => el("tr", {}, ...line(row))));
    const visible = Math.min(shown, found.length);
    more.hidden = visible === found.length;
    more.textContent = `show ${Math.min(STEP, found.length - visible)} more`;
    const total = of ?? found.length;
    const marked = body.querySelector("mark") ? " Marked: words that both texts have in the same order." : "";
    const seen = visible < total || query ? `${visible} of ${query ? found.length : total} rows shown. ` : "";
    count.textContent = seen + marked;
  }

  filter?.addEventListener("input", () => { query = filter.value.trim().toLowerCase(); draw(); });
  query = filter ? filter.value.trim().toLowerCase() : "";
  draw();
  const table = el("table", { class: units ? "units" : "" }, el("thead", {}, el("tr", {}, ...heads)), body);
  return el("div", {}, el("div", { class: "scroll", tabindex: units ? null : "0" }, table), el("p", {}, count, more));
}

/** Return everything that is known of a unit. */
function details(spec, row) {
  const marked = marks(spec, row);
  const list = el("dl");
  spec.columns.forEach((column, place) => {
    const text = spec.rows[row][place];
    if (text === "" || text === "–") return;
    list.append(el("dt", {}, column.label), el("dd", {}, ...(marked.get(place) || [text])));
  });
  return list;
}

/** Return the two texts of a unit with the words marked that both have in the same order. */
function marks(spec, row) {
  const texts = spec.columns.flatMap((column, place) => (column.role === "text" && spec.rows[row][place] ? [place] : []));
  if (texts.length !== 2) return new Map();
  const parts = texts.map((place) => split(spec.rows[row][place]));
  if (parts.some((words) => words.filter(isWord).length < 2)) return new Map(); // labels, not prose
  const chosen = common(...parts);
  return new Map(texts.map((place, i) => [place, markWords(parts[i], chosen[i])]));
}

/** Return the words and the characters between them; scripts without blanks have a word per character. */
function split(text) {
  return text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+/gu) || [];
}

const isWord = (part) => /[\p{L}\p{N}]/u.test(part);

/** Return the positions of the longest common subsequence of words in both texts. */
function common(first, second) {
  const places = [first, second].map((parts) => parts.flatMap((part, place) => (isWord(part) ? [place] : [])));
  const [m, n] = places.map((list) => list.length);
  if (m * n > LONGEST) return [new Set(), new Set()];
  const word = (i, j) => [first[places[0][i]].toLowerCase(), second[places[1][j]].toLowerCase()];
  const length = Array.from({ length: m + 1 }, () => new Uint16Array(n + 1));
  for (let i = m - 1; i >= 0; i--) {
    for (let j = n - 1; j >= 0; j--) {
      const [a, b] = word(i, j);
      length[i][j] = a === b ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const found = [new Set(), new Set()];
  for (let i = 0, j = 0; i < m && j < n;) {
    const [a, b] = word(i, j);
    if (a === b) {
      found[0].add(places[0][i++]);
      found[1].add(places[1][j++]);
    } else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  return found;
}

const markWords = (parts, chosen) => parts.map((part, place) => (chosen.has(place) ? el("mark", {}, part) : part));

// ---- charts ----

const CHARACTER = 6.6; // pixels, of 12 px text
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/;
const widthOf = (text) => [...text].reduce((sum, c) => sum + (WIDE.test(c) ? 12 : CHARACTER), 0);

function shorten(text, pixels) {
  const letters = [...text];
  if (widthOf(text) <= pixels) return text;
  const room = Math.max(2, Math.floor(pixels / CHARACTER) - 1);
  return `${letters.slice(0, Math.ceil(room / 2)).join("")}…${letters.slice(letters.length - Math.floor(room / 2)).join("")}`;
}

const label = (x, y, text, classes = "", anchor = "start") => svg("text", { x, y, class: classes, "text-anchor": anchor }, text);

function scale(axis, start, end) {
  return (value) => start + ((value - axis.low) / (axis.high - axis.low)) * (end - start);
}

/** Return the room for names on the left, and each name as it fits. */
function names(rows, width) {
  const room = Math.min(width * 0.34, Math.max(...rows.map(([name]) => widthOf(name))) + 4);
  return [room + 10, (name, y) => svg("text", { x: 0, y: y + 4 }, shorten(name, room), svg("title", {}, name))];
}

function grid(axis, at, top, bottom) {
  const far = Math.abs(at(axis.high) - at(axis.low)) / Math.max(1, axis.ticks.length - 1);
  const every = Math.ceil(34 / far);
  return axis.ticks.flatMap(([value, text], place) => [
    svg("line", { class: "grid", x1: at(value), x2: at(value), y1: top, y2: bottom }),
    place % every ? null : label(at(value), bottom + 16, text, "soft", "middle"),
  ]).filter(Boolean);
}

const charts = {
  chart(spec, width) {
    const [left, name] = names(spec.rows, width);
    const right = width - Math.max(...spec.texts.map(widthOf)) - 14;
    const at = scale(spec.x, left, right);
    const bottom = 8 + 28 * spec.rows.length;
    const parts = grid(spec.x, at, 4, bottom);
    if (spec.limit !== null && spec.limit >= spec.x.low && spec.limit <= spec.x.high) {
      parts.push(svg("line", { class: "limit", x1: at(spec.limit), x2: at(spec.limit), y1: 4, y2: bottom }));
      parts.push(label(at(spec.limit) - 4, 12, `gate ${spec.limit}`, "limit-text", "end"));
    }
    spec.rows.forEach(([text, value, low, high], row) => {
      const y = 20 + 28 * row;
      const ends = [low ?? value, high ?? value].map((end) => Math.min(spec.x.high, Math.max(spec.x.low, end)));
      parts.push(name(text, y), label(width, y + 4, spec.texts[row], "", "end"));
      parts.push(svg("line", { class: "whisker", x1: at(ends[0]), x2: at(ends[1]), y1: y, y2: y }));
      parts.push(svg("circle", { class: "dot", cx: at(value), cy: y, r: 5 }));
    });
    return [bottom + 22, parts];
  },

  distribution(spec, width) {
    const [left, name] = names(spec.rows, width);
    const right = width - Math.max(...spec.texts.map(widthOf)) - 14;
    const at = scale(spec.x, left, right);
    const bottom = 8 + 44 * spec.rows.length;
    const parts = grid(spec.x, at, 4, bottom);
    spec.rows.forEach(([text, counts, median], row) => {
      const y = 28 + 44 * row;
      const most = Math.max(...counts, 1);
      const step = (right - left) / counts.length;
      counts.forEach((count, place) => {
        const height = count ? Math.max(3, (36 * count) / most) : 0;
        if (count) parts.push(svg("rect", { class: "bin", x: left + place * step, y: y - height / 2, width: Math.max(1, step - 1), height }));
      });
      if (median !== null) parts.push(svg("line", { class: "median", x1: at(median), x2: at(median), y1: y - 20, y2: y + 20 }));
      parts.push(name(text, y), label(width, y + 4, spec.texts[row], "", "end"));
    });
    return [bottom + 22, parts, "Bars: number of units. Line and number: median."];
  },

  bars(spec, width) {
    const [left, name] = names(spec.rows, width);
    const at = scale(spec.x, left, width - 12);
    const bottom = 4 + 26 * spec.rows.length;
    const parts = grid(spec.x, at, 2, bottom);
    spec.rows.forEach(([text, shares], row) => {
      const y = 6 + 26 * row;
      parts.push(name(text, y + 9));
      let start = 0;
      shares.forEach(([part, share], place) => {
        const shown = `${Math.round(share * 100)}%`;
        const x = at(start);
        const room = at(start + share) - x;
        const fits = share > 0.6;
        parts.push(svg("rect", { class: `share${Math.min(place, 4)}`, x, y, width: Math.max(0, room - 1), height: 18 }, svg("title", {}, `${part} ${shown}`)));
        if (fits) parts.push(svg("text", { class: "pale", x: Math.max(x, spec.even === null ? x : at(spec.even)) + 5, y: y + 13 }, shorten(`${part} ${shown}`, room - 8)));
        start += share;
      });
    });
    if (spec.even !== null) parts.push(svg("line", { class: "even", x1: at(spec.even), x2: at(spec.even), y1: 2, y2: bottom }));
    return [bottom + 22, parts, spec.even === null ? "Most frequent first." : "Most frequent first; orange line: even share."];
  },

  heat(spec, width) {
    const [left, name] = names(spec.rows.map((row) => [row]), width);
    const step = (width - left) / spec.columns.length;
    const parts = spec.columns.map((column, place) => svg("text", { x: left + step * (place + 0.5), y: 12, class: "soft", "text-anchor": "middle" }, shorten(column, step - 12), svg("title", {}, column)));
    const most = Math.max(...spec.values.flat().map(Math.abs)) || 1;
    spec.values.forEach((values, row) => {
      const y = 20 + 26 * row;
      parts.push(name(spec.rows[row], y + 12));
      values.forEach((value, place) => {
        if (value === null) return;
        const text = spec.texts[row * spec.columns.length + place];
        const tone = value / most;
        const x = left + step * place;
        parts.push(svg("rect", { x, y, width: step - 2, height: 24, fill: blend(tone) }, svg("title", {}, `${spec.rows[row]}, ${spec.columns[place]}: ${text}`)));
        if (step > widthOf(text) + 4) parts.push(label(x + step / 2 - 1, y + 16, text, Math.abs(tone) > 0.6 ? "pale" : "deep", "middle"));
      });
    });
    return [24 + 26 * spec.rows.length, parts];
  },

  points(spec, width) {
    return scattered(spec, width, ([, xs, ys], place, x, y) => xs.flatMap((value, i) => (value === null || ys[i] === null ? [] : [svg("circle", { class: `cloud hue${place % HUES}`, cx: x(value), cy: y(ys[i]), r: 3 })])));
  },

  lines(spec, width) {
    return scattered(spec, width, ([name, xs, ys], place, x, y) => {
      let pen = "M";
      const path = xs.map((value, i) => {
        if (value === null || ys[i] === null) { pen = "M"; return ""; }
        const step = `${pen}${x(value)} ${y(ys[i])}`;
        pen = "L";
        return step;
      }).join("");
      const role = name === spec.main ? "main" : name === spec.rival ? "rival" : "";
      return [svg("path", { class: `line ${role || hue(spec, place)}`, d: path })];
    });
  },
};

const HUES = 7; // in page.css
const hue = (spec, place) => (spec.main ? "" : `hue${place % HUES}`);

/** Return the colour of a value from -1 to 1: orange, white, blue. */
function blend(value) {
  const [from, to] = [[247, 246, 243], value < 0 ? [180, 86, 42] : [31, 95, 139]];
  return `rgb(${from.map((start, i) => Math.round(start + (to[i] - start) * Math.min(1, Math.abs(value)))).join(",")})`;
}

/** Draw series in two dimensions, with their names at the right, in the order of their last values. */
function scattered(spec, width, draw) {
  const room = Math.min(width * 0.3, Math.max(...spec.series.map(([name]) => widthOf(name))) + 10);
  const left = Math.max(...spec.y.ticks.map(([, text]) => widthOf(text))) + 8;
  const bottom = 230;
  const x = scale(spec.x, left, width - room - 8);
  const y = scale(spec.y, bottom, 26);
  const parts = grid(spec.x, x, 26, bottom);
  parts.push(...spec.y.ticks.flatMap(([value, text]) => [
    svg("line", { class: "grid", x1: left, x2: width - room - 8, y1: y(value), y2: y(value) }),
    label(left - 6, y(value) + 4, text, "soft", "end"),
  ]));
  parts.push(label(0, 12, spec.y_label, "soft"), label((left + width - room) / 2, bottom + 34, spec.x_label, "soft", "middle"));
  spec.series.forEach((series, place) => parts.push(...draw(series, place, x, y)));
  const ends = spec.series.map(([name, , ys], place) => ({ name, place, y: y(ys.findLast?.((value) => value !== null) ?? spec.y.high) }));
  ends.sort((a, b) => a.y - b.y);
  let last = 8;
  for (const end of ends) {
    last = Math.max(end.y, last + 15);
    const role = end.name === spec.main ? "main" : end.name === spec.rival ? "rival" : "";
    parts.push(svg("text", { class: `name ${role || hue(spec, end.place)}`, x: width - room, y: last + 4 }, shorten(end.name, room - 6), svg("title", {}, end.name)));
  }
  return [Math.max(bottom + 42, last + 12), parts];
}

/** Return a figure that is drawn again when its width changes. */
function figure(spec) {
  const drawing = svg("svg", { role: "img", "aria-label": spec.title });
  const note = el("p", { class: "note" });
  const node = el("figure", {}, el("figcaption", {}, spec.title), drawing, note);
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width < 40 || drawing.dataset.width === String(width)) return;
    const [height, parts, text] = charts[spec.kind](spec, width);
    drawing.dataset.width = width;
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("height", height);
    drawing.replaceChildren(...parts);
    note.textContent = text || "";
  }).observe(node);
  return node;
}

// ---- the page ----

// The mark and colour of what a job or gate came to; all other states are bad.
const MARKS = { ok: ["✓", "good"], partial: ["!", "middle"], passed: ["✓", ""], undecided: ["?", "middle"] };
const markOf = (state) => MARKS[state] || ["✗", "bad"];

/** Return a line for each model that fails a condition, else one line for the condition. */
function gateLines(gates) {
  const lines = [];
  for (const condition of new Set(gates.map((gate) => gate.condition))) {
    const found = gates.filter((gate) => gate.condition === condition);
    const failed = found.filter((gate) => gate.state === "failed");
    const spaced = condition.replace(/(<=|>=|==|!=|<|>)/, " $1 ");
    for (const gate of failed) lines.push([gate.state, `fail if ${spaced}: ${gate.model} ${gate.text}`]);
    if (failed.length) continue;
    const sorted = found.slice().sort((a, b) => (a.value - b.value) * (condition.includes("<") ? 1 : -1));
    const whose = found.length === 1 ? found[0].model : condition.includes("<") ? "lowest" : "highest";
    const { state, note, text } = sorted[0];
    lines.push([state, `fail if ${spaced}: ${note || `${whose} ${text}`}`]);
  }
  return lines.sort(([a], [b]) => (b === "failed") - (a === "failed"));
}

function card(job, id) {
  const [mark, tone] = markOf(job.state);
  const lines = gateLines(job.gates || []).map(([state, text]) => [...markOf(state), text]);
  if (job.message) lines.push([mark, tone, job.message]);
  else if (job.state === "partial") lines.push([mark, "", job.status]);
  const items = lines.map(([sign, look, text]) => el("li", { class: `gate ${look}` }, el("span", {}, sign), el("span", {}, text)));
  return el("article", { class: `card ${tone}` },
    el("header", {}, el("h2", {}, job.title ? el("a", { href: `#${id}` }, job.name) : job.name), el("span", { class: "state" }, `${mark} ${job.state}`)),
    job.number ? el("div", { class: "number" }, el("b", {}, job.number), el("span", { class: "soft" }, job.interval || "")) : null,
    job.whose ? el("p", { class: "soft" }, job.whose) : null,
    job.sentences ? el("p", {}, job.sentences.join(" ")) : null,
    items.length ? el("ul", { class: "gates" }, ...items) : null);
}

function block(title, ...children) {
  return el("div", { class: "block" }, el("div", { class: "head" }, el("h3", {}, title)), ...children);
}

/** Return the place of the model with the worst unit: units come with the worst first. */
function worstModel(models) {
  const firsts = models.map(({ columns, rows }) => {
    const place = columns.findIndex((column) => column.role === "headline");
    return rows.length && place >= 0 ? sortKey(rows[0][place]) : "";
  });
  const falling = models[0].views[0][0] === "highest first";
  const numbers = firsts.map((first) => (typeof first === "number" ? first * (falling ? -1 : 1) : Infinity));
  return numbers.indexOf(Math.min(...numbers));
}

/** Return the units of one model at a time, in one view at a time, with a filter. */
function unitBlock(job) {
  let model = worstModel(job.units);
  let view = 0;
  const title = el("h3");
  const buttons = el("span", { class: "head" });
  const filter = el("input", { type: "search", placeholder: "filter", "aria-label": `Filter ${job.unit}` });
  const choice = el("select", { "aria-label": "Model", change: () => { model = Number(choice.value); view = 0; draw(); } },
    ...job.units.map((units, place) => el("option", { value: place, selected: place === model }, units.model)));
  const body = el("div");

  function draw() {
    const units = job.units[model];
    const views = units.views.filter(([, of], place) => of || place === 0);
    const last = Math.min(views[0][1], MOST);
    const rows = [...units.rows.keys()].slice(...(view ? [last] : [0, last]));
    title.textContent = `Rows of ${units.model}, ${views[view][0]}`;
    buttons.replaceChildren(...views.map(([text], place) => el("button", { type: "button", class: "pill", "aria-pressed": String(place === view), click: () => { view = place; draw(); } }, text)));
    body.replaceChildren(sortedTable(units, { limit: FIRST, units: true, rows, of: views[view][1], filter }));
  }

  draw();
  const tools = job.units.length > 1 ? [choice, filter] : [filter];
  return el("div", { class: "block" }, el("div", { class: "head" }, title, buttons, ...tools), body);
}

function section(job, id) {
  for (const row of job.headline.rows.filter(([name]) => job.failed.includes(name))) {
    row.fill("", 1);
    row[1] = "failed";
    job.headline.tones.push([job.headline.rows.indexOf(row), 1, "bad"]);
  }
  const [first, ...others] = job.charts;
  const isFront = first && first.kind === "chart";
  const limit = job.gates.find((gate) => gate.name === job.headline_name && typeof gate.limit === "number")?.limit ?? null;
  const further = isFront ? others : job.charts;
  const wide = !isFront || job.headline.columns.length > 8;
  return el("section", { id },
    el("h2", {}, job.title),
    ...job.sentences.map((sentence) => el("p", { class: "answer" }, sentence)),
    el("p", { class: "soft" }, `job ${job.name} · ${job.status}`),
    el("div", { class: wide ? "front single" : "front" }, sortedTable(job.headline, { limit: 50, texts: 0 }), isFront ? figure({ ...first, limit }) : null),
    ...job.tables.map((table) => block(table.title, sortedTable(table, { limit: 10 }))),
    job.units.length ? unitBlock(job) : null,
    further.length ? el("div", { class: "charts" }, ...further.map(figure)) : null,
    el("details", {}, el("summary", {}, "All measures"), sortedTable(transposed(job.measures))),
    job.problem_count ? el("details", {}, el("summary", {}, `Problems (${job.problem_count})`), filtered(job.problems, job.problem_count)) : null,
    el("details", {}, el("summary", {}, "How the numbers were made"),
      el("dl", {}, ...job.about.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]))));
}

/** Return a table with a row per measure: the columns of many measures do not fit on a screen. */
function transposed(table) {
  const columns = [table.columns[0], ...table.rows.map(([name]) => ({ label: name, role: "plain", right: true }))];
  const rows = table.columns.slice(1).map((column, place) => [column.label, ...table.rows.map((row) => row[place + 1])]);
  return { columns: [{ ...columns[0], label: "Measure" }, ...columns.slice(1)], rows, tones: [] };
}

function filtered(table, of) {
  const filter = el("input", { type: "search", placeholder: "filter", "aria-label": "Filter problems" });
  return el("div", {}, el("div", { class: "head" }, filter), sortedTable(table, { filter, of }));
}

function start() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const show = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
  };
  show(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  button.addEventListener("click", () => show(root.dataset.theme === "dark" ? "light" : "dark"));
  const states = [...new Set(jobs.map((job) => job.state))];
  const counts = states.map((state) => `${jobs.filter((job) => job.state === state).length} ${state}`);
  document.getElementById("summary").textContent = `${jobs.length} ${jobs.length === 1 ? "job" : "jobs"}: ${counts.join(", ")}`;
  jobs.forEach((job, place) => {
    const id = `job-${place + 1}`;
    document.getElementById("cards").append(card(job, id));
    if (!job.title) return;
    document.getElementById("jobs-nav").append(el("a", { href: `#${id}` }, job.name));
    document.getElementById("main").append(section(job, id));
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((node) => { node.open = true; }));
}

start();
