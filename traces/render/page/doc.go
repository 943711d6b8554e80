// Package page shows a trace as a page for a browser ([View]), or as a part of a page ([Figure]). The page is one file,
// works offline and runs only its own script. It can be read without the script, but then lacks zooming, hiding lanes,
// searching, moments and operations. The script, in view/js, moves the shapes that package picture has drawn to another
// stretch of time, and to the room that lanes leave; it draws none itself. Package tools/viewer, a module of its own,
// tests it in a browser.
package page
