// Package judgepage shows judged histories as a page for a browser ([Write]): for each illegal object the smallest illegal
// part with some operations around it, with the names, the lines and the stamps of the user's own files. The page looks
// like that of a trace (package render), is one file without external references, and has no script.
package judgepage
