// Draws the charts, and opens sessions and calls from the compressed chunks. All text enters the page as text.
"use strict";

const VERDICTS = ["pass", "warn", "ask", "deny"];
const element = (name, text = "", className = "") => {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};
const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const clock = (time) => time.slice(0, 19).replace("T", " ");

const describeCall = ([id, time, tool, operation, verdict, judged, rules, effects, reason, policy, microseconds, agent, role, outcome, stakes, undo, failure]) => {
  const entry = element("details", "", "entry");
  const line = entry.appendChild(element("summary"));
  line.append(element("time", clock(time)), element("span", verdict, `badge ${VERDICTS.includes(verdict) ? verdict : ""}`));
  line.append(element("strong", tool), element("span", operation, "operation"));
  entry.addEventListener("toggle", () => {
    if (!entry.open || entry.children.length > 1) return;
    const list = element("dl");
    const rows = [
      ["operation", operation], ["effects", effects.join("\n")], ["rules", rules.map(([rule, said]) => `${said} ${rule}`).join("\n")],
      ["reason", reason], ["judged", judged === verdict ? "" : `${judged}; an approval, a mode or a cap of the policy made it ${verdict}`],
      ["outcome", outcome], ["not judged", failure], ["at stake", stakes], ["undo", undo && `toolgate undo ${undo}`],
      ["agent", [agent, role].filter(Boolean).join(", ")], ["policy", policy.slice(0, 12)], ["took", `${microseconds / 1000} ms`], ["id", id],
    ];
    for (const [name, text] of rows) if (text) list.append(element("dt", name), element("dd", text));
    const inside = element("div", "", "inside");
    inside.append(list);
    entry.append(inside);
  });
  return entry;
};

let shown;
const showReport = () => {
  const summary = JSON.parse(document.getElementById("summary").textContent);
  const chunkElements = [...document.querySelectorAll("script.chunk")];
  const ROWS_AT_ONCE = 100;
  const SESSIONS_AT_ONCE = 50;
  const KEPT_CHUNKS = 4;

  // ---- charts

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const columns = summary.steps.length ? summary.steps[0].map((_, n) => summary.steps.map((step) => step[n])) : [];
  const inUtc = (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC");
  const format = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");

  const width = columns.length && columns[0].length > 1 ? columns[0][1] - columns[0][0] : 60;
  const nameTimes = (_, times, axis, space, between) =>
    times.map((seconds, n) => {
      const [day, minute] = format(seconds).split(" ");
      if (between >= 86400) return day;
      return n && day === format(times[n - 1]).slice(0, 10) ? minute : `${minute}\n${day}`;
    });

  const drawChart = (id, data, series, scales, describe) => {
    const place = document.getElementById(`${id}-chart`);
    const readout = document.getElementById(`${id}-readout`);
    const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line") } };
    const show = (chart) => { readout.textContent = chart.cursor.idx == null ? "" : describe(chart.cursor.idx); };
    const options = {
      width: place.clientWidth, height: 220, tzDate: inUtc, legend: { show: false },
      scales: { x: { range: (_, least, most) => [least - width / 2, most + width / 2] }, ...scales },
      axes: [{ ...axis, values: nameTimes }, { ...axis, size: 60 }], series: [{}, ...series], hooks: { setCursor: [show] },
    };
    place.replaceChildren();
    const chart = new uPlot(options, data, place);
    return () => chart.setSize({ width: place.clientWidth, height: 220 });
  };

  const drawCalls = () => {
    const own = columns.slice(1, 1 + summary.verdicts.length);
    const sums = own.map((_, n) => own[0].map((_, step) => own.slice(0, n + 1).reduce((sum, column) => sum + column[step], 0)));
    const bars = uPlot.paths.bars({ size: [0.9, 60] });
    const series = summary.verdicts.map((name) => ({ label: name, fill: colour(name), stroke: colour(name), paths: bars, points: { show: false } }));
    const describe = (n) => `${format(columns[0][n])}: ${summary.verdicts.map((name, each) => `${own[each][n]} ${name}`).join(", ")}`;
    // The highest sum is drawn first, and the others over it.
    return drawChart("calls", [columns[0], ...sums.reverse()], series.reverse(), { y: { range: (_, least, most) => [0, Math.max(most, 1)] } }, describe);
  };

  const drawLatency = () => {
    const half = columns.at(-2).map((took) => took && took / 1000);
    const most = columns.at(-1).map((took) => took && took / 1000);
    const series = [["half", "ask"], ["99 of 100", "deny"]].map(([label, name]) => ({ label, stroke: colour(name), width: 2, spanGaps: true }));
    const describe = (n) => (half[n] == null ? "" : `${format(columns[0][n])}: half within ${half[n]} ms, 99 of 100 within ${most[n]} ms`);
    return drawChart("latency", [columns[0], half, most], series, {}, describe);
  };

  let resizers = [];
  const drawCharts = () => { resizers = columns.length ? [drawCalls(), drawLatency()] : []; };
  drawCharts();
  shown?.abort(); // the listeners of figures that were shown before
  shown = new AbortController();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts, { signal: shown.signal });
  addEventListener("resize", () => resizers.forEach((resize) => resize()), { signal: shown.signal });
  for (const bar of document.querySelectorAll(".bar")) bar.style.width = `${(100 * bar.dataset.value) / bar.dataset.most}%`;

  // ---- calls, from the chunks

  const opened = new Map();
  const readChunk = async (number) => {
    if (!opened.has(number)) {
      const bytes = Uint8Array.from(atob(chunkElements[number].textContent), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      opened.set(number, new Response(stream).json());
      if (opened.size > KEPT_CHUNKS) opened.delete(opened.keys().next().value);
    }
    return opened.get(number);
  };

  async function* callsOfSession(places) {
    for (const [chunk, start, end] of places) yield* (await readChunk(chunk)).slice(start, end);
  }

  // Chunk by chunk, so that each is read once; roughly the newest first.
  async function* matchingCalls(wanted) {
    for (let chunk = chunkElements.length - 1; chunk >= 0; --chunk) yield* (await readChunk(chunk)).filter(wanted).reverse();
  }

  // Appends some of the calls; the button that is left behind appends more.
  const showCalls = async (calls, place, first) => {
    let next = first ?? (await calls.next());
    for (let shown = 0; ; ++shown, next = await calls.next()) {
      if (next.done) return [shown, false];
      if (shown === ROWS_AT_ONCE) {
        const more = place.appendChild(element("button", "Show more"));
        more.type = "button";
        more.addEventListener("click", async () => {
          const last = more.previousElementSibling;
          more.remove();
          await showCalls(calls, place, next);
          last.nextElementSibling.querySelector("summary").focus();
        });
        return [shown, true];
      }
      place.append(describeCall(next.value));
    }
  };

  // ---- sessions

  const describeSession = ([id, host, first, last, calls, stops, near, places]) => {
    const entry = element("details", "", "entry session");
    const line = entry.appendChild(element("summary"));
    line.append(element("time", clock(last)), element("strong", host), element("code", id || "(no session)"));
    line.append(element("span", count(calls, "call")));
    if (stops) line.append(element("span", `${count(stops, "stop")}`, "badge deny"));
    if (near) line.append(element("span", `${near} near`, "badge warn"));
    entry.addEventListener("toggle", () => {
      if (!entry.open || entry.children.length > 1) return;
      const inside = entry.appendChild(element("div", "", "inside"));
      inside.append(element("p", `${clock(first)} to ${clock(last)}`));
      showCalls(callsOfSession(places), inside);
    });
    return entry;
  };

  const showSessions = (start) => {
    const place = document.getElementById("session-list");
    place.append(...summary.sessions.slice(start, start + SESSIONS_AT_ONCE).map(describeSession));
    const left = summary.sessions.length - start - SESSIONS_AT_ONCE;
    if (left <= 0) return;
    const more = place.appendChild(element("button", `Show more (${left.toLocaleString("en")} left)`));
    more.type = "button";
    more.addEventListener("click", () => {
      more.remove();
      showSessions(start + SESSIONS_AT_ONCE);
      place.children[start + SESSIONS_AT_ONCE].querySelector("summary").focus();
    });
  };
  showSessions(0);

  // ---- the filter

  const form = document.getElementById("filter");
  const status = document.getElementById("call-status");
  let asked = 0;

  const filterCalls = async () => {
    const own = ++asked;
    const { verdict, rule, tool, text, near } = form.elements;
    const wanted = (call) =>
      (!verdict.value || call[4] === verdict.value) && (!tool.value || call[2] === tool.value) && call[3].includes(text.value) &&
      (!rule.value || call[6].some(([name]) => name === rule.value)) &&
      (!near.checked || (call[6].length > 0 && (call[4] === "pass" || call[4] === "warn")));
    const place = element("div");
    document.getElementById("call-list").replaceChildren(place);
    status.textContent = "Searching";
    const [shown, isMore] = await showCalls(matchingCalls(wanted), place);
    if (own === asked) status.textContent = isMore ? `The first ${shown} calls` : count(shown, "call");
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); filterCalls(); });
  document.getElementById("main").addEventListener("click", (event) => {
    const { rule, tool } = event.target.dataset ?? {};
    if (rule === undefined && tool === undefined) return;
    form.reset();
    form.elements.rule.value = rule ?? "";
    form.elements.tool.value = tool ?? "";
    document.getElementById("calls").focus();
    filterCalls();
  }, { signal: shown.signal });
};
if (document.getElementById("summary")) showReport();
