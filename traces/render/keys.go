package render

// keyHelp is a line of the list of keys on the page.
type keyHelp struct {
	Keys []string
	Does string
}

// keyHelps are the keys of the page, which its script gives their meanings.
var keyHelps = []keyHelp{
	{[]string{"n", "p"}, "the next step; the step before"},
	{[]string{".", ","}, "the next event in the picture; the one before"},
	{[]string{"o"}, "what the operation sent, what came back, and what nodes did"},
	{[]string{"←", "→"}, "the lens to the left, to the right"},
	{[]string{"+", "−"}, "the lens closer, wider"},
	{[]string{"0"}, "the lens back to where it was at first"},
	{[]string{"Shift ←", "Shift →"}, "the overview to the left, to the right"},
	{[]string{"]", "["}, "the overview closer, wider"},
	{[]string{"w"}, "the overview to the whole run, or to the story"},
	{[]string{"f"}, "fold the lanes in which nothing happens, or unfold them"},
	{[]string{"l"}, "choose lanes"},
	{[]string{"/"}, "search the events; there Enter goes to the next match, Shift Enter to the one before, and in the table ↓ and ↑ choose an event, Enter goes to it"},
	{[]string{"Esc"}, "close what is open"},
	{[]string{"?"}, "this list"},
}
