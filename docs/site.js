// A table that scrolls in its own box can be reached and scrolled with the keyboard.
for (const table of document.querySelectorAll(".md-typeset table:not([class])")) {
  if (table.scrollWidth > table.clientWidth) table.tabIndex = 0
}
