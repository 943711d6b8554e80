package syntax

// Parse reads the statements of a text. A text of nothing but spaces, comments and semicolons has none.
func Parse(text string) ([]Statement, error) {
	panic("not yet")
}
