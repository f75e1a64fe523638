// The parts of a family's section: results, comparisons, history, one model with its units, problems, the method.
"use strict";

const column = (columns, name) => columns.find((each) => each.name === name);
const MODEL = "Model Name";

// What a reader looks at first comes first, also where the rest has no room.
function leading(columns, names) {
  const first = names.map((name) => column(columns, name)).filter(Boolean);
  return [...first, ...columns.filter((each) => !first.includes(each))];
}

// A run as the parts below read it: its columns unpacked, and a row per model.
function readRun(run) {
  const results = unpacked(run.results);
  const models = column(results, MODEL).cells;
  const headline = column(results, run.headline);
  const [low, high] = run.interval.map((name) => column(results, name));
  const note = column(results, "CI_Note");
  const status = column(results, "Status");
  const point = (row) => ({
    value: headline ? headline.cells[row] : null,
    low: low ? low.cells[row] : null,
    high: high ? high.cells[row] : null,
    reason: headline ? reason(headline, row) : "",
  });
  function reason(asked, row) {
    if (status && status.cells[row] && !["ok", "partial"].includes(status.cells[row]))
      return "status " + status.cells[row];
    if ([headline, low, high].includes(asked) && note && note.cells[row]) return note.cells[row];
    if (["Rank", "Shared", "On_Shared"].includes(asked.name)) return "no place among others without shared units";
    return "";
  }
  return { ...run, results, names: models, headlineColumn: headline, point, reason };
}

function part(heading, id, ...content) {
  const head = el("h3", { id, tabindex: "-1" }, heading);
  return el("section", { class: "part", "aria-labelledby": id }, head, content);
}

function folded(summary, ...content) {
  return el("details", null, el("summary", null, summary), content);
}

function scoresPart(run, modelButton) {
  const figures = [];
  if (run.axis && run.headlineColumn) {
    const better = { higher: "Higher is better.", lower: "Lower is better." }[run.headlineColumn.better];
    const points = run.names.map((name, row) => ({ name, label: modelButton(name), ...run.point(row) }));
    figures.push(
      dotsChart(run.headline + " with " + run.level + " intervals", run.axis, points, { byModel: true, note: better }),
    );
  }
  if (run.spread) {
    figures.push(spreadChart("Units by " + run.spread.measure, run.spread, run.names));
  }
  for (const panel of run.panels) figures.push(panelChart({ ...panel, byModel: true }));
  return el("div", { class: "figures" }, figures);
}

function resultsPart(family, run, modelButton) {
  const table = sortableTable({
    caption: family.title + ": a line per model",
    columns: leading(run.results, [MODEL, run.headline, ...run.interval]),
    header: MODEL,
    first: run.screen.length ? [MODEL, ...run.screen, "Rank", "Scored", "Coverage", "Status"] : null,
    reason: run.reason,
    cell: (each, row) => (each.name === MODEL ? modelButton(run.names[row]) : null),
    wanted: (row) => isWanted(run.names[row]),
  });
  onFilter(table.refresh);
  return part("Results", family.id + "-results", table.element);
}

function comparisonsPart(family, run) {
  const all = run.comparisons;
  if (!all || !all.pairs) return null;
  const pairs = unpacked(all.headline);
  const [model, other, difference, low, high, chance, finding, shared] = [
    "Model",
    "Other_Model",
    "Difference",
    "CI_Low",
    "CI_High",
    "P_Holm",
    "Finding",
    "Shared",
  ].map((name) => column(pairs, name).cells);
  const rows = [...model.keys()];
  const wanted = (columns) => (row) =>
    isWanted(column(columns, "Model").cells[row]) || isWanted(column(columns, "Other_Model").cells[row]);
  const parts = [];
  const compared = rows.filter((row) => typeof difference[row] === "number");
  if (!compared.length) {
    return part(
      "Comparisons",
      family.id + "-comparisons",
      el(
        "p",
        { class: "note" },
        "No two models can be compared: they have no " + all.units + " with a value in common.",
      ),
    );
  }
  const isShown = (row) => all.shown[row] === 1;
  const leader = run.names.find((name) => compared.some((row) => model[row] === name || other[row] === name));
  const small = run.names.length <= 8; // enough room for both side by side
  const grid = run.names.length > 2 && run.names.length <= 30 ? matrix() : null;
  parts.push(el("div", { class: "figures" }, differencesChart(leader), small ? grid : null), small ? null : grid);
  const few = ["Model", "Other_Model", "Shared", "Difference", "CI_Low", "CI_High", "P_Holm", "Finding"];
  const table = sortableTable({
    caption: "Every two models in " + all.measure + ", over the " + all.units + " that both have",
    columns: pairs,
    header: "Model",
    first: few,
    page: 25,
    wanted: wanted(pairs),
    reason: (_, row) => finding[row],
  });
  onFilter(table.refresh);
  const left = all.pairs > rows.length ? cut(rows.length, all.pairs, "pairs", run, all.file) : null;
  parts.push(
    ...(rows.length > 12
      ? [folded("Every two models (" + grouped(all.pairs) + " pairs)", table.element, left)]
      : [table.element, left]),
  );
  if (all.exploratory) {
    const columns = unpacked(all.further);
    const further = sortableTable({
      caption: "Other measures: exploratory, corrected together, the smallest p-values first",
      columns,
      header: "Measure",
      first: ["Measure", ...few],
      page: 25,
      search: true,
      wanted: wanted(columns),
    });
    onFilter(further.refresh);
    const rest =
      all.exploratory > columns[0].cells.length
        ? cut(columns[0].cells.length, all.exploratory, "comparisons", run, all.file)
        : null;
    parts.push(
      folded("Other measures (" + grouped(all.exploratory) + " comparisons, exploratory)", further.element, rest),
    );
  }
  return part("Comparisons", family.id + "-comparisons", parts);

  function differencesChart(leading) {
    const rival = (row) => run.names.indexOf(model[row] === leading ? other[row] : model[row]);
    const own = compared
      .filter((row) => model[row] === leading || other[row] === leading)
      .sort((a, b) => rival(a) - rival(b));
    const points = own.map((row) => {
      const sign = model[row] === leading ? 1 : -1;
      const ends = [low[row], high[row]].map((end) => (typeof end === "number" ? sign * end : null));
      const name = model[row] === leading ? other[row] : model[row];
      return {
        name,
        label: words(name),
        value: sign * difference[row],
        low: sign > 0 ? ends[0] : ends[1],
        high: sign > 0 ? ends[1] : ends[0],
        faint: !isShown(row),
      };
    });
    const values = points
      .flatMap((each) => [each.value, each.low, each.high, 0])
      .filter((value) => typeof value === "number");
    return dotsChart(all.measure + " of " + leading + " less that of each other model", niceAxis(values), points, {
      zero: true,
      byModel: true,
      note:
        "With " + run.level + " intervals. Filled: a difference that is shown after Holm’s correction; hollow: not.",
    });
  }

  function matrix() {
    const place = new Map(run.names.map((name, number) => [name, number]));
    const cells = run.names.map(() => run.names.map(() => null));
    for (const row of compared) {
      const [a, b] = [place.get(model[row]), place.get(other[row])];
      if (a === undefined || b === undefined) continue;
      cells[a][b] = { value: difference[row], row };
      cells[b][a] = { value: -difference[row], row };
    }
    const most = Math.max(...compared.map((row) => Math.abs(difference[row]))) || 1;
    const title = all.measure + ": the model of the line less that of the column";
    const head = el(
      "tr",
      null,
      el("td"),
      run.names.map((name, number) =>
        el("th", { scope: "col", title: name }, quiet(name + " "), el("span", { "aria-hidden": "true" }, number + 1)),
      ),
    );
    const lines = run.names.map((name, a) =>
      el(
        "tr",
        null,
        el(
          "th",
          { scope: "row", title: name },
          el("span", { class: "place", "aria-hidden": "true" }, a + 1),
          words(name),
        ),
        run.names.map((_, b) => {
          const cell = cells[a][b];
          if (a === b) return el("td", { class: "self" });
          if (!cell) return el("td", { class: "none" }, undefinedMark("nothing in common"));
          const about =
            name +
            " less " +
            run.names[b] +
            ": " +
            score(cell.value) +
            ", p " +
            FORMATS.chance(chance[cell.row]) +
            ", " +
            finding[cell.row] +
            " (" +
            shared[cell.row] +
            " " +
            all.units +
            ")";
          const drawn = el(
            "td",
            { class: (cell.value > 0 ? "up" : "down") + (isShown(cell.row) ? " shown" : ""), title: about },
            minus(cell.value.toFixed(2)),
          );
          drawn.style.setProperty("--v", Math.round((70 * Math.abs(cell.value)) / most) + "%");
          return drawn;
        }),
      ),
    );
    const table = el(
      "table",
      { class: "map matrix" },
      el("caption", { class: "quiet" }, title),
      el("thead", null, head),
      el("tbody", null, lines),
    );
    onFilter(() =>
      lines.forEach((line, number) => {
        line.hidden = !isWanted(run.names[number]);
      }),
    );
    return figure(
      title,
      el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": title }, table),
      "Bold: shown after Holm’s correction. Columns have the numbers of the lines.",
    );
  }
}

// Round numbers for an axis over values that only this page puts together.
function niceAxis(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = (most - least || 1) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= rough * (1 - 1e-9));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let number = Math.floor(least / step + 1e-9); number <= Math.ceil(most / step - 1e-9); number += 1)
    ticks.push([number * step, (number * step).toFixed(digits).replace(/^-(0\.?0*)$/, "$1")]);
  if (ticks.length < 2) ticks.push([ticks[0][0] + step, (ticks[0][0] + step).toFixed(digits)]);
  return { low: ticks[0][0], high: ticks[ticks.length - 1][0], ticks };
}

function cut(here, total, what, run, file) {
  return el(
    "p",
    { class: "note" },
    "Here are " + grouped(here) + " of " + grouped(total) + " " + what + "; all are in ",
    fileLink(run.folder, file),
    ".",
  );
}

function historyPart(family, runs) {
  if (runs.length < 2) return null;
  const inTime = [...runs].reverse();
  const names = [...new Set(runs.flatMap((run) => run.names))];
  const labels = inTime.map((run) => run.started.replace("T", " ").slice(0, 16));
  const points = names.map((name) =>
    inTime.map((run) => {
      const row = run.names.indexOf(name);
      return row < 0 ? { value: null, low: null, high: null, reason: "not in this run" } : run.point(row);
    }),
  );
  const values = points
    .flat()
    .flatMap((each) => [each.value, each.low, each.high])
    .filter((value) => typeof value === "number");
  const breaks = inTime
    .map((run, place) => place)
    .filter(
      (place) =>
        place &&
        (inTime[place].signature !== inTime[place - 1].signature ||
          inTime[place].headline !== inTime[place - 1].headline),
    );
  const measures = [...new Set(inTime.map((run) => run.headline))];
  const chart =
    values.length &&
    measures.length === 1 &&
    linesChart({
      title: measures[0] + " over " + runs.length + " runs",
      points: labels,
      axis: niceAxis(values),
      breaks,
      byModel: true,
      lines: names.map((name, number) => [
        name,
        points[number].map((each) => each.value),
        points[number].map((each) => [each.low, each.high]),
      ]),
    });
  const columns = [
    { name: "Model", kind: "text", cells: names },
    ...inTime.map((run, place) => ({
      name: labels[place] + " · " + run.folder,
      kind: "score",
      about: run.headline + "; " + run.signature,
      cells: points.map((each) => each[place].value),
    })),
  ];
  const table = sortableTable({
    caption: measures.join(", ") + " by model and run",
    columns,
    header: "Model",
    reason: (each, row) => points[row][columns.indexOf(each) - 1].reason,
    wanted: (row) => isWanted(names[row]),
  });
  onFilter(table.refresh);
  const note = breaks.length
    ? el(
        "p",
        { class: "note" },
        "Points of runs that were made in different ways (see their signatures) are not joined.",
      )
    : null;
  return part("History", family.id + "-history", chart || null, note, table.element);
}

// One model: what is drawn of it, and its units.
function modelPart(family, run) {
  const id = family.id + "-model";
  const body = el("div");
  const select = el(
    "select",
    { id: id + "-select", on: { change: () => open(select.value) } },
    run.names.map((name) => el("option", { value: name }, name)),
  );
  const section = part("One model", id, el("label", { class: "search" }, el("span", null, "Model"), select), body);

  function open(name) {
    const row = run.names.indexOf(name);
    const model = run.models[row];
    select.value = name;
    const point = run.point(row);
    const line = run.headline
      ? [
          run.headline + " ",
          el("strong", null, score(point.value)),
          typeof point.low === "number"
            ? " (" + run.level + " interval " + score(point.low) + " to " + score(point.high) + ")"
            : point.reason
              ? " (" + point.reason + ")"
              : "",
          ". ",
        ]
      : [];
    const files = [model.workbook, model.csv].filter(Boolean).map((file) => [" ", fileLink(run.folder, file)]);
    body.replaceChildren(
      el("p", null, words(name), ": ", line, files.length ? ["Files:", files] : "No report was written for it."),
      ...(model.panels.length ? [el("div", { class: "figures" }, model.panels.map(panelChart))] : []),
      ...unitsOf(name, model),
    );
  }

  function unitsOf(name, model) {
    if (!model.units || !model.units.total) return [el("p", { class: "note" }, "It has no units.")];
    const written = unpacked(model.units.table);
    const note = column(written, "CI_Note");
    const header = written.find((each) => each.key && each.name !== "Sheet") || column(written, "Row") || written[0];
    const columns = leading(written, [header.name, run.spread ? run.spread.measure : ""]);
    const table = sortableTable({
      caption: "Units of " + name,
      columns,
      header: header.name,
      first: columns.slice(0, 10).map((each) => each.name),
      page: 20,
      search: true,
      reason: (each, row) => (note && each.name.startsWith("CI_") ? note.cells[row] : ""),
    });
    const here = columns[0].cells.length;
    return here < model.units.total
      ? [cut(here, model.units.total, "units", run, model.csv), table.element]
      : [table.element];
  }

  open(run.names[0]);
  return {
    section,
    open: (name) => {
      open(name);
      section.querySelector("h3").focus();
    },
  };
}

function problemsPart(family, run) {
  const found = run.problems;
  if (!found.total) return folded("Problems (none)", el("p", { class: "note" }, "None was met."));
  const kinds = el(
    "ul",
    { class: "kinds" },
    found.kinds.map(([kind, effect, count]) =>
      el("li", null, el("code", null, words(kind)), " " + effect + ": " + grouped(count)),
    ),
  );
  const columns = unpacked(found.table);
  const table = sortableTable({
    caption: "Problems of this run",
    columns,
    header: "kind",
    first: ["kind", "effect", "file", "sheet", "row", "message"],
    page: 25,
    search: true,
  });
  const rest =
    found.total > columns[0].cells.length
      ? cut(columns[0].cells.length, found.total, "problems", run, "problems.csv")
      : null;
  return folded("Problems (" + grouped(found.total) + ")", kinds, table.element, rest);
}

function methodPart(family, runs, chosen) {
  const run = runs[chosen];
  const hashes = (files, caption) => {
    if (!files.total) return null;
    const columns = [
      { name: "File", kind: "text", cells: files.listed.map(([name]) => name) },
      { name: "SHA-256", kind: "text", cells: files.listed.map(([, digest]) => digest) },
    ];
    return [
      sortableTable({ caption, columns, page: 25 }).element,
      files.total > files.listed.length ? cut(files.listed.length, files.total, "files", run, "manifest.json") : null,
    ];
  };
  return folded(
    "How these numbers were made",
    facts([
      ["Signature", el("code", null, words(run.signature))],
      ["Command", el("code", null, words(run.command))],
      ["Version", "scoresheet " + run.version],
      ["Started", run.started + (run.seconds === null ? "" : ", took " + run.seconds + " s")],
      ["Audit", run.audit],
      ...run.method,
      ["Digits", "Numbers here have " + DATA.digits + " digits and show three decimals; the files hold all."],
    ]),
    run.method.length
      ? null
      : el(
          "p",
          { class: "note" },
          "An older version wrote this folder and did not record its method; score again to see it here.",
        ),
    hashes(run.inputs, "Input files"),
    hashes(run.references, "References and further tables"),
  );
}
