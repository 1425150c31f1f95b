// Follows the log and the requests, and shows the figures of the report. The token is in the fragment, which no request contains.
"use strict";
{
  const token = location.hash.slice(1);
  const MOST_SHOWN = 200;
  const RETRY_MILLISECONDS = 2000;
  const place = (id) => document.getElementById(id);
  const ask = (path) => fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store", credentials: "omit" });

  // The fragment is the token: a link within the page must not replace it.
  place("skip").addEventListener("click", (event) => { event.preventDefault(); place("main").focus(); });

  // ---- the figures

  const showFigures = async () => {
    place("figures-status").textContent = "Reading the log";
    const answer = await ask("report");
    if (!answer.ok) { place("figures-status").textContent = await answer.text(); return; }
    place("report").innerHTML = await answer.text(); // rendered by the gate, with all text escaped
    showReport();
    place("figures-status").textContent = "";
  };
  place("update").addEventListener("click", showFigures);

  // ---- requests that wait

  const describeRequest = ({ id, tool, shown, cwd, reason, who, command }) => {
    const entry = element("li", "", "request");
    entry.append(element("strong", tool), " ", element("span", shown, "operation"), element("p", reason));
    const terms = element("dl");
    for (const [name, text] of [["where", cwd], ["who", who], ["to answer", command]]) {
      terms.append(element("dt", name), element("dd", text, name === "to answer" ? "operation" : ""));
    }
    entry.append(terms);
    entry.dataset.id = id;
    return entry;
  };
  const showRequests = (requests) => {
    place("requests").replaceChildren(...(requests.length ? requests.map(describeRequest) : [element("li", "Nothing waits for an answer.")]));
    document.title = requests.length ? `(${requests.length}) toolgate` : "toolgate";
  };

  // ---- calls

  let seen = 0;
  const showNewCalls = (calls) => {
    seen += calls.length;
    place("live-status").textContent = `${count(seen, "call")} since this page was opened.`;
    place("live-list").prepend(...calls.map(describeCall).reverse());
    while (place("live-list").children.length > MOST_SHOWN) place("live-list").lastChild.remove();
  };

  // ---- the stream of events; fetch is used, because EventSource sends no header

  const takeEvent = (text) => {
    const data = text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("\n");
    if (!data) return;
    const { calls, requests } = JSON.parse(data);
    if (calls) showNewCalls(calls);
    if (requests) showRequests(requests);
  };
  const follow = async () => {
    const answer = await ask("events");
    if (!answer.ok) { place("connection").textContent = await answer.text(); return answer.status >= 500; }
    place("connection").textContent = "Live";
    let left = "";
    for (const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return true;
      const parts = (left + value).split("\n\n");
      left = parts.pop();
      parts.forEach(takeEvent);
    }
  };
  const keepFollowing = async () => {
    for (;;) {
      if (!(await follow().catch(() => true))) return;
      place("connection").textContent = "The connection is lost. Is toolgate ui still running?";
      await new Promise((done) => setTimeout(done, RETRY_MILLISECONDS));
    }
  };
  keepFollowing();
  showFigures();
}
