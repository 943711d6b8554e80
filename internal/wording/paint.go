package wording

// Paint colours text for a terminal if it is On.
type Paint struct{ On bool }

func (p Paint) with(code, s string) string {
	if !p.On {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold returns the text in bold type.
func (p Paint) Bold(s string) string { return p.with("1", s) }

// Faint returns the text in faint type.
func (p Paint) Faint(s string) string { return p.with("2", s) }

// Red returns the text in bold red.
func (p Paint) Red(s string) string { return p.with("1;31", s) }

// Green returns the text in green.
func (p Paint) Green(s string) string { return p.with("32", s) }

// Yellow returns the text in yellow.
func (p Paint) Yellow(s string) string { return p.with("33", s) }
