package program

import (
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/checker"
)

// Letters stand for the rules of a program in tables.
const letters = "123456789①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"

// MostRules is the largest number of rules of a program.
const MostRules = 29

// Properties returns the rules that a run can break, as properties of histories. The error says what is
// wrong with the rules: a text that is missing, or that two of them have.
func Properties(rules []Rule) (list []checker.Property, err error) {
	var wrong []error
	if len(rules) > MostRules {
		wrong = append(wrong, fmt.Errorf("the program has %d rules, and at most %d are possible", len(rules), MostRules))
	}
	known := map[string]string{}
	symbols := []rune(letters)
	for i := range rules {
		r := &rules[i]
		id := r.ID()
		switch {
		case id == "":
			wrong = append(wrong, fmt.Errorf("rule %d has the text %q: say in a few words what holds, such as program.Always(\"the stock is never negative\")", i+1, r.Text))
			continue
		case known[id] != "":
			wrong = append(wrong, fmt.Errorf("two rules have one name: %q and %q; give one of them another text", known[id], r.Text))
			continue
		case r.wrong != "":
			wrong = append(wrong, fmt.Errorf("the rule %q %s", r.Text, r.wrong))
		}
		known[id] = r.Text
		if p, judged := r.Property(string(symbols[i%len(symbols)])); judged {
			list = append(list, p)
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return list, checker.Validate(list)
}
