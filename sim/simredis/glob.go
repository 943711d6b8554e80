package simredis

// glob matches as Redis does: * any run, ? any one, [a-z] and [^a-z] a class,
// backslash the next character as it is.
func glob(pattern, s string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			for pattern != "" && pattern[0] == '*' {
				pattern = pattern[1:]
			}
			for i := range len(s) + 1 {
				if glob(pattern, s[i:]) {
					return true
				}
			}
			return false
		case '?':
			if s == "" {
				return false
			}
			pattern = pattern[1:]
		case '[':
			if s == "" {
				return false
			}
			in, rest := class(pattern[1:], s[0])
			if !in {
				return false
			}
			pattern = rest
		default:
			if pattern[0] == '\\' && len(pattern) > 1 {
				pattern = pattern[1:]
			}
			if s == "" || s[0] != pattern[0] {
				return false
			}
			pattern = pattern[1:]
		}
		s = s[1:]
	}
	return s == ""
}

// class matches one character against the class that a pattern begins with,
// behind its opening bracket, and returns what follows. A class without an end
// extends to the pattern's.
func class(pattern string, c byte) (in bool, rest string) {
	not := pattern != "" && pattern[0] == '^'
	if not {
		pattern = pattern[1:]
	}
	for pattern != "" && pattern[0] != ']' {
		low, high, width := pattern[0], pattern[0], 1
		switch {
		case low == '\\' && len(pattern) > 1:
			low, high, width = pattern[1], pattern[1], 2
		case len(pattern) > 2 && pattern[1] == '-':
			high, width = pattern[2], 3
		}
		in = in || min(low, high) <= c && c <= max(low, high)
		pattern = pattern[width:]
	}
	if pattern != "" {
		pattern = pattern[1:]
	}
	return in != not, pattern
}
