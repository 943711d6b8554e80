package simrun

import "fmt"

// warning tells what no schedule can show.
func (p *textPrinter) warning(text string) {
	fmt.Fprintf(p.out, "%s %s\n\n", p.paint.red("WARNING"), text)
}
