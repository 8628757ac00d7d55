// Search and, on small screens, the list of pages.
const search = document.getElementById("search");
const hits = document.getElementById("hits");
const menu = document.getElementById("menu");
const nav = document.getElementById("nav");

// score is how well a section fits all words, 0 if one of them is missing.
function score(section, words) {
  const title = (section.t + " " + section.p).toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (title.includes(word)) sum += 10;
    else if (section.x.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  hits.replaceChildren();
  hits.hidden = words.length === 0;
  if (hits.hidden) return;
  const found = sections.map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
  for (const [, s] of found) {
    const link = document.createElement("a");
    link.href = s.l;
    link.textContent = s.t;
    const at = s.x.indexOf(words[0]);
    const detail = document.createElement("small");
    detail.textContent = s.p + (at < 0 ? "" : ": " + s.x.slice(Math.max(0, at - 40), at + 80));
    link.append(detail);
    hits.append(link);
  }
  if (found.length === 0) {
    const none = document.createElement("p");
    none.textContent = "No section has all of these words.";
    hits.append(none);
  }
}

function close() {
  search.value = "";
  show();
}

search.addEventListener("input", show);
hits.addEventListener("click", close);
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && document.activeElement !== search) {
    e.preventDefault();
    search.focus();
  } else if (e.key === "Escape") {
    close();
  } else if (!hits.hidden && (e.key === "ArrowDown" || e.key === "ArrowUp" || e.key === "Enter")) {
    const links = [...hits.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (e.key === "Enter") {
      if (at < 0 && links.length > 0) links[0].click();
      return;
    }
    e.preventDefault();
    const next = at + (e.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? search : links[Math.min(next, links.length - 1)]).focus();
  }
});
menu.addEventListener("click", () => {
  const open = nav.classList.toggle("open");
  menu.setAttribute("aria-expanded", open);
});
