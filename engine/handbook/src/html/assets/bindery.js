// What scripts add to a page that can be read without them: the theme switch, the tree of stages beside the
// text, the search, tracing arrows on the map. A classic script, so that it runs from the disk as well.
"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("js");

  // ---- Theme: as the system, light, dark -----------------------------------------------------------------

  var THEMES = ["", "light", "dark"];
  var THEME_NAMES = { "": "as the system", light: "light", dark: "dark" };

  function storedTheme() {
    // Reading may be forbidden for pages from the disk.
    try { return localStorage.getItem("bindery-theme") || ""; } catch (_) { return ""; }
  }

  function applyTheme(theme) {
    if (theme) root.setAttribute("data-theme", theme);
    else root.removeAttribute("data-theme");
  }

  applyTheme(storedTheme());

  function themeSwitch() {
    var button = document.getElementById("theme");
    var theme = THEMES.indexOf(storedTheme()) < 0 ? "" : storedTheme();
    function label() {
      button.setAttribute("aria-label", "Theme: " + THEME_NAMES[theme]);
      button.title = "Theme: " + THEME_NAMES[theme];
    }
    button.addEventListener("click", function () {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      try { localStorage.setItem("bindery-theme", theme); } catch (_) { /* It holds for this page alone. */ }
      applyTheme(theme);
      label();
    });
    label();
  }

  // ---- Making elements ------------------------------------------------------------------------------------

  function element(name, attributes, children) {
    var made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    (children || []).forEach(function (child) {
      made.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
    });
    return made;
  }

  function chevron() {
    var space = "http://www.w3.org/2000/svg";
    var svg = document.createElementNS(space, "svg");
    var path = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", "0 0 10 10");
    svg.setAttribute("width", "10");
    svg.setAttribute("height", "10");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", "M3 1l4 4-4 4");
    path.setAttribute("fill", "none");
    path.setAttribute("stroke", "currentColor");
    path.setAttribute("stroke-width", "1.6");
    svg.appendChild(path);
    return svg;
  }

  // ---- The tree beside the text ---------------------------------------------------------------------------

  // Rows of binderyNavigation.stages: title, page, depth, crosscut.
  var navigation = window.binderyNavigation || null;

  function ownPage() {
    var name = location.pathname.split("/").pop().replace(/\.html$/, "");
    try { return decodeURIComponent(name); } catch (_) { return name; }
  }

  function treeLevel(rows, current) {
    var list = element("ul");
    for (var at = 0; at < rows.length;) {
      var row = rows[at];
      var end = at + 1;
      while (end < rows.length && rows[end][2] > row[2]) end++;
      list.appendChild(treeItem(row, rows.slice(at + 1, end), current));
      at = end;
    }
    return align(list);
  }

  // Where no item of a list can be folded, none needs room for a button.
  function align(list) {
    list.classList.toggle("flat", !list.querySelector(":scope > li > .row > .fold"));
    return list;
  }

  function treeItem(row, below, current) {
    var link = element("a", { href: encodeURIComponent(row[1]) + ".html" }, [row[0]]);
    if (row[1] === current) link.setAttribute("aria-current", "page");
    return foldable(link, below.length ? treeLevel(below, current) : null);
  }

  // A list item whose parts can be folded away; they are shown where the current page is among them.
  function foldable(link, parts) {
    if (!parts) return element("li", {}, [element("div", { class: "row" }, [element("span", { class: "leaf" }), link])]);
    var button = element("button", { class: "fold", type: "button", "aria-label": "Parts of " + link.textContent }, [chevron()]);
    function show(isOpen) {
      parts.hidden = !isOpen;
      button.setAttribute("aria-expanded", String(isOpen));
    }
    show(link.hasAttribute("aria-current") || !!parts.querySelector("[aria-current]"));
    button.addEventListener("click", function () { show(parts.hidden); });
    return element("li", {}, [element("div", { class: "row" }, [button, link]), parts]);
  }

  function sidebar() {
    var nav = document.getElementById("sidebar");
    if (navigation) {
      document.getElementById("brand-name").textContent = navigation.name;
      nav.appendChild(treeLevel(navigation.stages, ownPage()));
    } else {
      makeFoldable(nav.querySelector("ul"));
    }
    var current = nav.querySelector("[aria-current]");
    if (current) nav.scrollTop = Math.max(0, current.offsetTop - nav.clientHeight / 3);
    menu(nav);
  }

  // The single page brings its tree along.
  function makeFoldable(list) {
    if (!list) return;
    Array.from(list.children).forEach(function (item) {
      var parts = item.querySelector(":scope > ul");
      makeFoldable(parts);
      item.replaceWith(foldable(item.querySelector(":scope > a"), parts));
    });
    align(list);
  }

  function menu(nav) {
    var button = document.getElementById("menu");
    function show(isOpen) {
      nav.classList.toggle("open", isOpen);
      button.setAttribute("aria-expanded", String(isOpen));
    }
    button.addEventListener("click", function () {
      show(!nav.classList.contains("open"));
      var first = nav.querySelector("a");
      if (first && nav.classList.contains("open")) first.focus();
    });
    nav.addEventListener("click", function (event) { if (event.target.closest("a")) show(false); });
    document.addEventListener("keydown", function (event) {
      if (event.key !== "Escape" || !nav.classList.contains("open")) return;
      show(false);
      button.focus();
    });
  }

  // ---- What can be found ----------------------------------------------------------------------------------

  // Entries: the name as shown, the same in lower case, its last part, kind, where it is, its link.
  var entries = [];
  var MOST_SHOWN = 50;

  function addEntry(name, kind, where, href) {
    var lower = name.toLowerCase();
    var head = lower.indexOf("(") < 0 ? lower : lower.slice(0, lower.indexOf("("));
    var cut = kind === "file" ? head.lastIndexOf("/") : kind === "stage" ? -1 : head.lastIndexOf(".");
    entries.push({ name: name, lower: lower, last: lower.slice(cut + 1), kind: kind, where: where, place: where.toLowerCase(), href: href });
  }

  var titles = {};
  var missing = 0;

  // Called by each search script: page, files [path, anchor], symbols [qualname, anchor, kind, file].
  window.binderyShard = function (page, files, symbols) {
    var href = encodeURIComponent(page) + ".html#";
    var title = titles[page] || page;
    files.forEach(function (file) { addEntry(file[0], "file", title, href + file[1]); });
    symbols.forEach(function (symbol) {
      addEntry(symbol[0], symbol[2], files[symbol[3]][0] + " \u00b7 " + title, href + symbol[1]);
    });
  };

  function loadShards(changed) {
    navigation.stages.forEach(function (row) {
      titles[row[1]] = row[0];
      addEntry(row[0], "stage", row[3] ? "crosscut stage" : "stage", encodeURIComponent(row[1]) + ".html");
    });
    missing = navigation.stages.length;
    navigation.stages.forEach(function (row) {
      var script = element("script", { src: "search/" + encodeURIComponent(row[1]) + ".js" });
      script.onload = script.onerror = function () {
        missing -= 1;
        if (missing === 0 || missing % 25 === 0) changed();
      };
      document.head.appendChild(script);
    });
  }

  function readPage() {
    document.querySelectorAll("main .stage").forEach(function (stage) {
      var title = stage.querySelector("h2").textContent;
      addEntry(title, "stage", "stage", "#" + stage.id);
      stage.querySelectorAll(".card").forEach(function (card) {
        var path = card.querySelector("h4").textContent;
        addEntry(path, "file", title, "#" + card.id);
        card.querySelectorAll(".types > li").forEach(function (type) {
          addEntry(type.querySelector(".name").textContent, type.querySelector(".kind").textContent, path, "#" + type.id);
        });
        card.querySelectorAll(".function").forEach(function (one) {
          addEntry(one.querySelector(".name").textContent, "fn", path, "#" + one.querySelector(".detail").id);
        });
      });
    });
  }

  // ---- Ranking --------------------------------------------------------------------------------------------

  // Smaller is better, -1 is no match: exact, prefix, substring, subsequence; within each the last part of a
  // name before the whole, then what begins a word, then the shorter.
  function rank(entry, query) {
    var lower = entry.lower;
    if (entry.last === query) return 0;
    if (lower === query) return 1;
    var length = Math.min(lower.length, 400);
    if (entry.last.startsWith(query)) return 1000 + length;
    if (lower.startsWith(query)) return 2000 + length;
    var at = lower.indexOf(query);
    if (at >= 0) {
      var isWord = at > 0 && "._/-: ".indexOf(lower[at - 1]) >= 0;
      return (entry.last.indexOf(query) >= 0 ? 3000 : 4000) + (isWord ? 0 : 500) + length;
    }
    return subsequence(lower, query);
  }

  function subsequence(text, query) {
    var first = -1, matched = 0, at = 0;
    for (; at < text.length && matched < query.length; at++) {
      if (text.charCodeAt(at) !== query.charCodeAt(matched)) continue;
      if (matched === 0) first = at;
      matched++;
    }
    if (matched < query.length) return -1;
    return 6000 + Math.min(at - first, 900) * 10 + Math.min(text.length, 400) / 10;
  }

  // A query of several words asks for all of them, in the name or where it is.
  function rankWords(entry, words) {
    var total = 0;
    for (var i = 0; i < words.length; i++) {
      var one = rank(entry, words[i]);
      if (one < 0 || one >= 6000) {
        if (words.length === 1) return one;
        if (entry.place.indexOf(words[i]) < 0) return -1;
        one = 5000;
      }
      total += one;
    }
    return total;
  }

  // The number of matches and the best of them. Sorting all of 20,000 would take longer than finding them, so
  // only as many as are shown are kept in order.
  function find(query) {
    var words = query.toLowerCase().replace(/::|#/g, ".").split(/\s+/).filter(Boolean);
    var best = [], count = 0;
    for (var i = 0; words.length && i < entries.length; i++) {
      var value = rankWords(entries[i], words);
      if (value < 0) continue;
      count++;
      if (best.length === MOST_SHOWN && value > best[MOST_SHOWN - 1].rank) continue;
      insert(best, { entry: entries[i], rank: value });
    }
    return { count: count, shown: best.map(function (hit) { return hit.entry; }) };
  }

  function insert(best, hit) {
    var low = 0, high = best.length;
    while (low < high) {
      var middle = (low + high) >> 1;
      var order = best[middle].rank - hit.rank || compare(best[middle].entry, hit.entry);
      if (order <= 0) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, hit);
    if (best.length > MOST_SHOWN) best.pop();
  }

  function compare(a, b) {
    return a.name < b.name ? -1 : a.name > b.name ? 1 : a.href < b.href ? -1 : a.href > b.href ? 1 : 0;
  }

  // ---- The search box -------------------------------------------------------------------------------------

  var input, results, status, selected = -1, isReady = false;

  function prepare() {
    if (isReady) return;
    isReady = true;
    if (navigation) loadShards(update);
    else readPage();
  }

  function marked(text, query) {
    var at = query ? text.toLowerCase().indexOf(query) : -1;
    if (at < 0) return [text];
    var end = at + query.length;
    return [text.slice(0, at), element("mark", {}, [text.slice(at, end)]), text.slice(end)];
  }

  function option(entry, at, query) {
    var name = element("span", { class: "what" }, marked(entry.name, query));
    return element("a", { id: "hit-" + at, class: "hit", role: "option", tabindex: "-1", "aria-selected": "false", href: entry.href },
      [element("span", { class: "kind" }, [entry.kind]), name, element("span", { class: "where" }, [entry.where])]);
  }

  function update() {
    var query = input.value.trim();
    if (!query || document.activeElement !== input) return close();
    var found = find(query);
    var shown = found.shown;
    var word = query.toLowerCase().replace(/::|#/g, ".");
    results.replaceChildren.apply(results, shown.map(function (entry, at) { return option(entry, at, word); }));
    results.hidden = !shown.length;
    input.setAttribute("aria-expanded", String(!!shown.length));
    say(found.count, shown.length);
    select(shown.length ? 0 : -1);
  }

  function say(found, shown) {
    var text = found ? found + (found === 1 ? " result" : " results") : "Nothing found";
    if (found > shown) text += ", the first " + shown + " are shown";
    if (missing > 0) text += ", still loading";
    status.textContent = text;
    status.classList.toggle("hidden", !!found);
    status.classList.toggle("nothing", !found);
  }

  function select(at) {
    var options = results.children;
    if (selected >= 0 && options[selected]) options[selected].setAttribute("aria-selected", "false");
    selected = at;
    if (at < 0 || !options[at]) return input.removeAttribute("aria-activedescendant");
    options[at].setAttribute("aria-selected", "true");
    options[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[at].id);
  }

  function close() {
    results.hidden = true;
    results.replaceChildren();
    selected = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    status.textContent = "";
    status.classList.add("hidden");
    status.classList.remove("nothing");
  }

  function go(link) {
    close();
    input.value = "";
    input.blur();
    if (link.getAttribute("href") === location.hash) reveal();
    else location.href = link.getAttribute("href");
  }

  function onKey(event) {
    var count = results.children.length;
    if (event.key === "Escape") {
      if (!input.value) input.blur();
      input.value = "";
      close();
    } else if (!count) {
      return;
    } else if (event.key === "ArrowDown") {
      select((selected + 1) % count);
    } else if (event.key === "ArrowUp") {
      select((selected + count - 1) % count);
    } else if (event.key === "Enter" && selected >= 0) {
      go(results.children[selected]);
    } else {
      return;
    }
    event.preventDefault();
  }

  function search() {
    input = document.getElementById("search-input");
    results = document.getElementById("search-results");
    status = document.getElementById("search-status");
    input.addEventListener("focus", function () { prepare(); update(); });
    input.addEventListener("input", function () { prepare(); update(); });
    input.addEventListener("keydown", onKey);
    results.addEventListener("mousedown", function (event) { event.preventDefault(); });
    results.addEventListener("click", function (event) {
      var link = event.target.closest("a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(link);
    });
    input.addEventListener("blur", close);
    document.addEventListener("keydown", function (event) {
      var isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.focus();
      input.select();
    });
  }

  // ---- Places on the page ---------------------------------------------------------------------------------

  // Browsers unfold what a link leads to; older ones need help, and all of them if it is the same place again.
  function reveal() {
    var name = location.hash.slice(1);
    try { name = decodeURIComponent(name); } catch (_) { /* It is taken as it is. */ }
    var target = name && document.getElementById(name);
    if (!target) return;
    for (var around = target.parentElement; around; around = around.parentElement) {
      if (around.tagName === "DETAILS") around.open = true;
    }
    target.scrollIntoView();
  }

  function places() {
    window.addEventListener("hashchange", reveal);
    document.addEventListener("click", function (event) {
      var link = event.target.closest && event.target.closest("a[href^='#']");
      if (link && link.getAttribute("href") === location.hash) reveal();
    });
    reveal();
    window.addEventListener("beforeprint", function () {
      document.querySelectorAll("main details:not([open])").forEach(function (one) {
        one.open = true;
        one.dataset.printed = "";
      });
    });
    window.addEventListener("afterprint", function () {
      document.querySelectorAll("details[data-printed]").forEach(function (one) {
        one.open = false;
        delete one.dataset.printed;
      });
    });
  }

  // ---- The map: the arrows of a stage stand out while it is pointed at --------------------------------------

  function map() {
    var svg = document.querySelector(".map svg");
    if (!svg) return;
    function trace(event) {
      var box = event.target.closest("a");
      if (!box) return;
      var own = box.dataset.stage;
      svg.classList.add("traced");
      svg.querySelectorAll(".edge").forEach(function (edge) {
        var ends = edge.dataset.ends.split(" ");
        var isOn = ends.indexOf(own) >= 0;
        edge.classList.toggle("on", isOn);
        if (isOn) ends.forEach(function (end) { svg.querySelector("a[data-stage='" + end + "']").classList.add("near"); });
      });
    }
    function release() {
      svg.classList.remove("traced");
      svg.querySelectorAll(".on, .near").forEach(function (one) { one.classList.remove("on", "near"); });
    }
    svg.addEventListener("mouseover", function (event) { release(); trace(event); });
    svg.addEventListener("focusin", function (event) { release(); trace(event); });
    svg.addEventListener("mouseleave", release);
    svg.addEventListener("focusout", release);
  }

  document.addEventListener("DOMContentLoaded", function () {
    themeSwitch();
    sidebar();
    search();
    places();
    map();
  });
})();
