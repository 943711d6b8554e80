// Package render shows traces: as text ([Explain]), as a picture ([Draw]), as a page for a browser
// ([View]), as a comparison ([Compare]), and in other formats ([Formats]). What happened in a run is decided by
// package traces/story. The packages below this one show it, and none of them imports another, but for package
// picture, whose pictures are a part of pages:
//
//   - text: paragraphs and steps for a terminal;
//   - picture: lanes and shapes to scale in time, as SVG;
//   - page: the page and the figure of a report;
//   - diff: two runs beside each other;
//   - export: Markdown, Mermaid, Perfetto, ShiViz, JSON.
package render
