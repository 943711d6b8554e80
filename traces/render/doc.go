// Package render shows traces: as text ([Explain]), as a picture ([Draw]), as a page for a browser ([View]), as a
// comparison ([Compare]), and in other formats ([Formats]). Package traces/story decides what happened in a run. The
// packages below this one show it, and import each other only in one case: package page uses the pictures of package
// picture.
//
//   - text: paragraphs and steps for a terminal;
//   - picture: lanes and shapes to scale in time, as SVG;
//   - page: the page and the figure of a report;
//   - diff: two runs beside each other;
//   - export: Markdown, Mermaid, Perfetto, ShiViz, JSON.
package render
