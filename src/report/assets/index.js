/* The index: one row an interview. */
(function () {
  const interviews = readData();
  const name = (id) => "interviews/" + id.split("/").map(encodeURIComponent).join("/") + ".html";
  const state = (row) => {
    const sign = row.status === "done" ? "✓" : "✗";
    const what = row.error ? (row.error_kind ? row.error_kind + ": " : "") + row.error : null;
    return [el("span", { class: "status " + (row.status === "done" ? "good" : "bad") }, sign + " " + row.status),
      what ? el("div", { class: "why" }, what) : null];
  };
  const bar = (share) => share === null ? "–" : el("span", { class: "bar" },
    el("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" }), percent(share));
  const warnings = (row) => {
    const count = row.warnings.length + row.faults;
    if (!count) return "0";
    return el("details", {}, el("summary", {}, String(count)),
      el("ul", {}, row.warnings.map((w) => el("li", {}, w)),
        row.faults ? el("li", {}, row.faults + " of its tables cannot be read") : null));
  };
  const columns = [
    { title: "Interview", value: (r) => r.id, cell: (r) => el("a", { href: name(r.id) }, r.id), left: true },
    { title: "Status", value: (r) => r.status, cell: state, left: true },
    { title: "Length", hint: "minutes and seconds", value: (r) => r.duration, cell: (r) => clock(r.duration, 0) },
    { title: "Turns", value: (r) => r.turns, cell: (r) => number(r.turns) },
    { title: "Speakers", value: (r) => r.speakers, cell: (r) => number(r.speakers) },
    { title: "Persons seen", value: (r) => r.persons, cell: (r) => number(r.persons) },
    { title: "Purity", hint: "share of speech in turns that is the label’s voice", value: (r) => r.purity, cell: (r) => bar(r.purity) },
    { title: "Faces", hint: "share of pictures with a face", value: (r) => r.face_share, cell: (r) => bar(r.face_share) },
    { title: "SNR (dB)", hint: "speech over noise", value: (r) => r.snr, cell: (r) => number(r.snr) },
    { title: "Warnings", value: (r) => r.warnings.length + r.faults, cell: warnings },
    { title: "Recipe", value: (r) => r.recipe, cell: (r) => el("code", {}, r.recipe || "–"), left: true },
  ];
  if (interviews.some((r) => r.group)) {
    columns.splice(1, 0, { title: "Group", value: (r) => r.group, cell: (r) => r.group || "–", left: true });
  }
  const list = sortedTable("Interviews; a click on a column’s name sorts", columns, interviews);
  byId("list").append(list.table);

  const done = interviews.filter((r) => r.status === "done").length;
  const secs = interviews.reduce((sum, r) => sum + (r.duration || 0), 0);
  const recipes = new Set(interviews.filter((r) => r.status === "done").map((r) => r.recipe));
  byId("summary").append(interviews.length + (interviews.length === 1 ? " interview" : " interviews") + ", " + done +
    " done, " + clock(secs, 0) + " in all" +
    (recipes.size > 1 ? ". They were made with " + recipes.size + " recipes: compare within one only." : "."));

  const text = new Map(interviews.map((r) => [r, folded([r.id, r.media, r.group, r.status, r.error_kind, r.error, r.recipe]
    .concat(r.warnings).filter(Boolean).join(" "))]));
  function search() {
    const words = folded(byId("search").value).split(/\s+/).filter(Boolean);
    const which = byId("which").value;
    let count = 0;
    for (const [row, line] of list.rows) {
      const fits = which === "" || (which === "done" && row.status === "done") || (which === "not" && row.status !== "done")
        || (which === "warned" && row.warnings.length + row.faults > 0);
      const shown = fits && words.every((word) => text.get(row).includes(word));
      line.hidden = !shown;
      count += shown ? 1 : 0;
    }
    byId("found").textContent = count + " of " + interviews.length;
  }
  byId("search").addEventListener("input", search);
  byId("which").addEventListener("change", search);
  search();
})();
