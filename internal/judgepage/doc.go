// Package judgepage shows histories that were judged as a page for a browser ([Write]): for
// each object that is not legal the smallest illegal part with some operations around it, by
// the names, the lines and the stamps of the user's own files. The page looks as that of a
// trace does (package render), is one file without references to others, and has no script.
package judgepage
