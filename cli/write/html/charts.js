// Charts: rows of marks along one axis, drawn in percent of the width, so that they fit any screen and print sharp.
"use strict";

const COLOURS = 8; // that can be told apart; style has them as --c0 to --c7
const percent = (axis, value) => ((value - axis.low) / (axis.high - axis.low)) * 100;
const at = (number) => number.toFixed(2) + "%";

const grid = (axis, height) =>
  axis.ticks.map(([tick]) =>
    svg("line", { class: "grid", x1: at(percent(axis, tick)), x2: at(percent(axis, tick)), y1: 0, y2: height }),
  );

function axisRow(axis, label) {
  const ticks = axis.ticks.map(([tick, text], place) =>
    svg(
      "text",
      { x: at(percent(axis, tick)), y: 12, class: place % 2 ? "minor" : null, "text-anchor": "middle" },
      minus(text),
    ),
  );
  return el(
    "li",
    { class: "axis", "aria-hidden": "true" },
    el("span", { class: "label" }, label || ""),
    svg("svg", { class: "track", height: 16 }, ticks),
    el("span", { class: "value" }),
  );
}

function figure(title, content, note) {
  return el(
    "figure",
    null,
    el("figcaption", null, words(title)),
    content,
    note ? el("p", { class: "note" }, note) : null,
  );
}

/* Rows along one axis: { name, label, said, value, marks(height) }; options: height, note, byModel. */
function rowsChart(title, axis, rows, options) {
  const height = options.height || 22;
  const items = rows.map((row) =>
    el(
      "li",
      null,
      el("span", { class: "label", title: row.name }, row.label),
      svg(
        "svg",
        { class: "track", height, role: "img", "aria-label": row.said },
        axis ? grid(axis, height) : null,
        row.marks(height),
      ),
      el("span", { class: "value" }, row.value),
    ),
  );
  const list = el("ul", { class: "rows" }, items, axis ? axisRow(axis) : null);
  if (options.byModel)
    onFilter(() =>
      rows.forEach((row, place) => {
        items[place].hidden = !isWanted(row.name);
      }),
    );
  return figure(title, list, options.note);
}

// Dots with their intervals: { name, label, value, low, high, reason }.
function dotsChart(title, axis, points, options) {
  const zero = options.zero && axis.low < 0 && axis.high > 0;
  return rowsChart(
    title,
    axis,
    points.map((point) => ({
      ...point,
      said:
        point.value === null
          ? point.name + ": undefined" + (point.reason ? ", " + point.reason : "")
          : point.name +
            ": " +
            score(point.value) +
            (point.low === null ? "" : ", interval " + score(point.low) + " to " + score(point.high)),
      value: point.value === null ? undefinedMark(point.reason) : score(point.value),
      marks: (height) => {
        if (typeof point.value !== "number") return [];
        const y = height / 2;
        const whisker = typeof point.low === "number" && typeof point.high === "number";
        return [
          zero
            ? svg("line", { class: "zero", x1: at(percent(axis, 0)), x2: at(percent(axis, 0)), y1: 0, y2: height })
            : null,
          whisker
            ? svg("line", {
                class: "whisker",
                x1: at(percent(axis, point.low)),
                x2: at(percent(axis, point.high)),
                y1: y,
                y2: y,
              })
            : null,
          svg("circle", {
            class: point.faint ? "dot faint" : "dot",
            cx: at(percent(axis, point.value)),
            cy: y,
            r: 4.5,
          }),
        ];
      },
    })),
    options,
  );
}

// How units are spread: strokes where they are few, else a histogram.
function spreadChart(title, spread, names) {
  const axis = spread.axis;
  return rowsChart(
    title,
    axis,
    names.map((name, place) => {
      const own = spread.models[place];
      const known = own.units - own.undefined;
      return {
        name,
        label: words(name),
        said: name + ": " + plural(known, "unit") + (own.undefined ? ", " + grouped(own.undefined) + " undefined" : ""),
        value: own.undefined
          ? el("span", { title: grouped(own.undefined) + " undefined" }, grouped(known) + "*")
          : grouped(known),
        marks: (height) =>
          own.bins
            ? histogram(own.bins, height)
            : own.values.map((value) =>
                svg("line", {
                  class: "stroke",
                  x1: at(percent(axis, value)),
                  x2: at(percent(axis, value)),
                  y1: 4,
                  y2: height - 3,
                }),
              ),
      };
    }),
    {
      height: 28,
      byModel: true,
      note: spread.models.some((own) => own.undefined)
        ? "On the right, how many units; * some more are undefined."
        : "On the right, how many units.",
    },
  );
}

function histogram(bins, height) {
  const most = Math.max(...bins);
  const width = 100 / bins.length;
  return bins.map((count, place) => {
    const tall = count ? Math.max(1, (count / most) * (height - 3)) : 0;
    return svg("rect", {
      class: "bin",
      x: at(place * width + width * 0.06),
      width: at(width * 0.88),
      y: (height - tall).toFixed(1),
      height: tall.toFixed(1),
    });
  });
}

function barsChart(panel) {
  const values = panel.bars.map(([, value]) => value).filter((value) => typeof value === "number");
  const axis = { low: Math.min(0, ...values), high: Math.max(0, ...values) || 1, ticks: [] };
  return rowsChart(
    panel.title,
    null,
    panel.bars.map(([name, value]) => ({
      name,
      label: words(name),
      said: name + ": " + score(value),
      value: value === null ? undefinedMark("") : score(value),
      marks: (height) => {
        if (typeof value !== "number") return [];
        const [from, to] = [percent(axis, Math.min(0, value)), percent(axis, Math.max(0, value))];
        return [
          svg("rect", {
            class: name === panel.main ? "bar main" : "bar",
            x: at(from),
            width: at(Math.max(0.3, to - from)),
            y: 4,
            height: height - 8,
            rx: 1.5,
          }),
          axis.low < 0
            ? svg("line", { class: "zero", x1: at(percent(axis, 0)), x2: at(percent(axis, 0)), y1: 0, y2: height })
            : null,
        ];
      },
    })),
    {},
  );
}

// Bars of one length made of pieces; beyond the colours that can be told apart, pieces are taken together.
function sharesChart(panel) {
  const totals = new Map();
  for (const [, pieces] of panel.rows)
    for (const [piece, size] of pieces) totals.set(piece, (totals.get(piece) || 0) + size);
  const named = panel.ranked ? [] : [...totals.keys()];
  const largest =
    named.length > COLOURS ? [...named].sort((a, b) => totals.get(b) - totals.get(a)).slice(0, COLOURS - 1) : named;
  const legend = named.filter((piece) => largest.includes(piece));
  const items = panel.rows.map(([row, pieces]) => {
    const sum = pieces.reduce((all, [, size]) => all + size, 0);
    const parts = panel.ranked ? rankedPieces(pieces) : legendPieces(pieces, legend);
    const bar = el(
      "span",
      {
        class: "shares",
        role: "img",
        "aria-label": row + ": " + parts.map((part) => part.name + " " + FORMATS.share(part.size / sum)).join(", "),
      },
      parts.map((part) => {
        const piece = el(
          "span",
          { class: "piece " + part.colour, title: part.name + ": " + FORMATS.share(part.size / sum) },
          panel.ranked && part.size / sum > 0.1 ? words(part.name) : null,
        );
        piece.style.flexGrow = part.size;
        return piece;
      }),
    );
    return el(
      "li",
      null,
      el("span", { class: "label", title: row }, words(row)),
      bar,
      el("span", { class: "value" }, Number.isInteger(sum) && sum > 1 ? grouped(sum) : ""),
    );
  });
  if (panel.byModel)
    onFilter(() =>
      items.forEach((item, place) => {
        item.hidden = !isWanted(panel.rows[place][0]);
      }),
    );
  const keys = legend.map((piece, place) => el("li", null, el("span", { class: "key c" + place }), words(piece)));
  if (legend.length < named.length)
    keys.push(el("li", null, el("span", { class: "key rest" }), plural(named.length - legend.length, "other")));
  return figure(panel.title, [
    el("ul", { class: "rows" }, items),
    keys.length ? el("ul", { class: "legend", "aria-hidden": "true" }, keys) : null,
  ]);
}

function rankedPieces(pieces) {
  const sorted = pieces.filter(([, size]) => size > 0).sort((a, b) => b[1] - a[1]);
  return sorted.map(([name, size], place) => ({ name, size, colour: "r" + Math.min(place, 4) }));
}

function legendPieces(pieces, legend) {
  const parts = pieces
    .filter(([piece, size]) => size > 0 && legend.includes(piece))
    .map(([name, size]) => ({ name, size, colour: "c" + legend.indexOf(name) }));
  const rest = pieces.reduce((sum, [piece, size]) => sum + (legend.includes(piece) ? 0 : size), 0);
  return rest ? [...parts, { name: "others", size: rest, colour: "rest" }] : parts;
}

// A real table whose cells are coloured, so that its numbers can be read and heard.
function heatMap(panel) {
  const head = el(
    "tr",
    null,
    el("td"),
    panel.columns.map((name) => el("th", { scope: "col" }, words(name))),
  );
  const rows = panel.rows.map((name, row) =>
    el(
      "tr",
      null,
      el("th", { scope: "row", title: name }, words(name)),
      panel.cells[row].map((value) => {
        const cell = el(
          "td",
          { class: typeof value === "number" ? (value > 0.55 ? "heat deep" : "heat") : "none" },
          typeof value === "number" ? value.toFixed(2) : undefinedMark("no score"),
        );
        if (typeof value === "number")
          cell.style.setProperty("--v", Math.round(100 * Math.min(1, Math.max(0, value))) + "%");
        return cell;
      }),
    ),
  );
  const table = el(
    "table",
    { class: "map" },
    el("caption", { class: "quiet" }, panel.title),
    el("thead", null, head),
    el("tbody", null, rows),
  );
  return figure(
    panel.title,
    el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": panel.title }, table),
    "The stronger the colour, the nearer to 1.",
  );
}

/* Lines over the same points: lines [[name, [value], [[low, high]]?]]; breaks: points not joined to the one before. */
function linesChart(panel) {
  const height = 220;
  const axis = panel.axis;
  if (!axis) return null;
  const last = Math.max(1, panel.points.length - 1);
  const x = (place) => at(panel.points.length === 1 ? 50 : (place / last) * 100);
  const y = (value) => (height - (percent(axis, value) / 100) * height).toFixed(1);
  const groups = panel.lines.map(([name, values, ends], number) => {
    const colour = number < COLOURS ? "line l" + number : "line rest";
    const group = svg("g", { class: colour }, svg("title", null, name));
    values.forEach((value, place) => {
      if (typeof value !== "number") return;
      const before = values[place - 1];
      if (typeof before === "number" && !(panel.breaks || []).includes(place)) {
        group.append(svg("line", { x1: x(place - 1), x2: x(place), y1: y(before), y2: y(value) }));
      }
      if (ends && typeof ends[place][0] === "number") {
        group.append(
          svg("line", { class: "end", x1: x(place), x2: x(place), y1: y(ends[place][0]), y2: y(ends[place][1]) }),
        );
      }
      group.append(svg("circle", { cx: x(place), cy: y(value), r: 3.5 }));
    });
    return group;
  });
  const lines = axis.ticks.map(([tick]) => svg("line", { class: "grid", x1: 0, x2: "100%", y1: y(tick), y2: y(tick) }));
  const ups = axis.ticks.map(([tick, text]) =>
    svg("text", { x: 40, y: Number(y(tick)) + 4, "text-anchor": "end" }, minus(text)),
  );
  const step = Math.ceil(panel.points.length / 8);
  const acrosses = panel.points.map((point, place) =>
    place % step
      ? null
      : svg(
          "text",
          { x: x(place), y: 14, "text-anchor": place === 0 ? "start" : place === last ? "end" : "middle" },
          point,
        ),
  );
  const keys = panel.lines
    .slice(0, COLOURS)
    .map(([name], number) => el("li", null, el("span", { class: "key c" + number }), words(name)));
  if (panel.lines.length > COLOURS)
    keys.push(el("li", null, el("span", { class: "key rest" }), plural(panel.lines.length - COLOURS, "other model")));
  if (panel.byModel)
    onFilter(() =>
      panel.lines.forEach(([name], number) => {
        const hidden = !isWanted(name);
        groups[number].classList.toggle("gone", hidden);
        if (number < COLOURS) keys[number].hidden = hidden;
      }),
    );
  const said = panel.title + ": " + panel.lines.length + " lines over " + panel.points.join(", ");
  return figure(panel.title, [
    el(
      "div",
      { class: "plot" },
      svg("svg", { class: "ups", width: 44, height, "aria-hidden": "true" }, ups),
      svg("svg", { class: "field", height, role: "img", "aria-label": said }, lines, groups.reverse()),
      svg("svg", { class: "acrosses", height: 18, "aria-hidden": "true" }, acrosses),
    ),
    el("ul", { class: "legend" }, keys),
  ]);
}

const PANELS = { bars: barsChart, shares: sharesChart, heat: heatMap, lines: linesChart };
const panelChart = (panel) => PANELS[panel.kind](panel);
