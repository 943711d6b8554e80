// Package sitepages makes the sources of Lockpick's site for Hugo: contents with front matter for their layouts, data, and
// files. The text of a page comes from the project: the documents, the scenarios, properties and locks with their
// expectations, their comments, the counterexamples of traces/corpus, and the public packages. Layouts and style are in
// the directory site.
//
// [Write] makes all of it. For a scenario without a counterexample in the corpus, a search with a fixed seed finds one, so
// the same tree makes the same pages.
//
// The files:
//
//   - write.go: the whole, and how a page is written;
//   - known.go: locks, scenarios and expectations of all stores, and the table of expectations;
//   - guide.go, experiments.go, reports.go: the documents; addresses.go: the targets of links between them;
//   - properties.go, scenarios.go, locks.go, matrix.go: the facts about each;
//   - stories.go: counterexamples;
//   - comments.go, origin.go: comments in the source, and which of them belongs to a lock;
//   - api.go, api_decls.go: the public packages.
package sitepages
