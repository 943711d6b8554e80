// Package sitepages makes what the pages of Lockpick's site are made of, for Hugo: contents with what their layouts show as
// front matter, data, and files. What a page says comes from the project, and is written nowhere else: the documents, the
// scenarios, properties and locks with what is expected of them, their comments, the counterexamples of traces/corpus, and the
// public packages. Layouts and style are in the directory site.
//
// [Write] makes all of it. Of a scenario that the corpus has no counterexample of, a search with a fixed seed finds one, so the
// same tree makes the same pages.
//
// The files:
//
//   - write.go: the whole, and how a page is written;
//   - known.go: locks, scenarios and expectations of all stores, and the table of what is expected;
//   - guide.go, experiments.go, reports.go: the documents; addresses.go: where links between them lead;
//   - properties.go, scenarios.go, locks.go, matrix.go: what is known of each;
//   - stories.go: counterexamples;
//   - comments.go, origin.go: comments in the source, and which of them belongs to a lock;
//   - api.go, api_decls.go: the public packages.
package sitepages
