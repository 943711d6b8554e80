package types

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// like matches a text with a pattern of LIKE, whose escape character is a backslash.
func like(text, pattern string) (bool, error) {
	return likeRunes([]rune(text), []rune(pattern))
}

func likeRunes(t, p []rune) (bool, error) {
	retryText, retryPattern := -1, 0 // where the last % goes on if the rest does not match
	i, j := 0, 0
	for i < len(t) {
		escaped := j < len(p) && p[j] == '\\'
		if escaped && j+1 == len(p) {
			return false, pgerror.New(pgerror.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
		}
		switch {
		case escaped && p[j+1] == t[i]:
			i, j = i+1, j+2
		case !escaped && j < len(p) && p[j] == '%':
			retryText, retryPattern = i, j+1
			j++
		case !escaped && j < len(p) && (p[j] == '_' || p[j] == t[i]):
			i, j = i+1, j+1
		case retryText >= 0:
			retryText++
			i, j = retryText, retryPattern
		default:
			return false, nil
		}
	}
	for j < len(p) && p[j] == '%' {
		j++
	}
	return j == len(p), nil
}

// likeEscape changes a pattern with another escape character, or none, to one with backslashes.
func likeEscape(pattern, escape string) (Value, error) {
	runes := []rune(escape)
	if len(runes) > 1 {
		return nil, pgerror.New("22025", "invalid escape string").WithHint("Escape string must be empty or one character.")
	}
	var b strings.Builder
	afterEscape := false
	for _, r := range pattern {
		switch {
		case len(runes) == 1 && r == runes[0] && !afterEscape && r != '\\':
			b.WriteByte('\\')
			afterEscape = true
		case r == '\\' && (len(runes) == 0 || runes[0] != '\\'):
			if !afterEscape {
				b.WriteByte('\\')
			}
			b.WriteByte('\\')
			afterEscape = false
		default:
			b.WriteRune(r)
			afterEscape = false
		}
	}
	return b.String(), nil
}

// refusedRegexp finds what regular expressions of PostgreSQL have and those of Go do not, or have otherwise.
var refusedRegexp = regexp.MustCompile(`\\[1-9mMyYAZB]|\(\?[=!<]|\[\[[:.=][<>]?|^\*\*\*|\(\?[a-z]+\)`)

// regexpErrors are PostgreSQL's words for what is wrong with a regular expression.
var regexpErrors = map[syntax.ErrorCode]string{
	syntax.ErrMissingParen:          "parentheses () not balanced",
	syntax.ErrUnexpectedParen:       "parentheses () not balanced",
	syntax.ErrMissingBracket:        "brackets [] not balanced",
	syntax.ErrMissingRepeatArgument: "quantifier operand invalid",
	syntax.ErrInvalidCharRange:      "invalid character range",
	syntax.ErrTrailingBackslash:     "invalid escape \\ sequence",
}

// compileRegexp compiles a regular expression of PostgreSQL, as far as Go has the same.
func compileRegexp(pattern string, fold bool) (*regexp.Regexp, error) {
	classes := regexp.MustCompile(`\[:[a-z]+:\]`).ReplaceAllString(pattern, "")
	if what := refusedRegexp.FindString(classes); what != "" {
		return nil, pgerror.Lacks("%q in the regular expression %q", what, pattern)
	}
	flags := "(?s)"
	if fold {
		flags = "(?is)"
	}
	re, err := regexp.Compile(flags + pattern)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok && regexpErrors[wrong.Code] != "" {
		return nil, pgerror.New(pgerror.InvalidRegularExpression, "invalid regular expression: %s", regexpErrors[wrong.Code])
	}
	if err != nil {
		return nil, pgerror.Lacks("the regular expression %q", pattern)
	}
	re.Longest()
	return re, nil
}

// compileGreedy compiles a regular expression whose match is used, so that it matters how much it matches.
func compileGreedy(pattern string, fold bool) (*regexp.Regexp, error) {
	if regexp.MustCompile(`[*+?}]\?`).MatchString(pattern) {
		return nil, pgerror.Lacks("non-greedy quantifiers in the regular expression %q", pattern)
	}
	return compileRegexp(pattern, fold)
}

func init() {
	two := pair(TextOID)
	fn("like_escape", two, TextOID, func(a []Value) (Value, error) { return likeEscape(a[0].(string), a[1].(string)) })
	fn("regexp_replace", []OID{TextOID, TextOID, TextOID}, TextOID, func(a []Value) (Value, error) {
		return regexpReplace(a[0].(string), a[1].(string), a[2].(string), "")
	})
	fn("regexp_replace", []OID{TextOID, TextOID, TextOID, TextOID}, TextOID, func(a []Value) (Value, error) {
		return regexpReplace(a[0].(string), a[1].(string), a[2].(string), a[3].(string))
	})
	fn("regexp_match", two, TextArrayOID, func(a []Value) (Value, error) {
		re, err := compileGreedy(a[1].(string), false)
		if err != nil {
			return nil, err
		}
		m := re.FindStringSubmatchIndex(a[0].(string))
		if m == nil {
			return nil, nil
		}
		if len(m) > 2 {
			m = m[2:]
		}
		found := Array{Elem: TextOID}
		for i := 0; i < len(m); i += 2 {
			if m[i] < 0 {
				found.Items = append(found.Items, nil)
			} else {
				found.Items = append(found.Items, a[0].(string)[m[i]:m[i+1]])
			}
		}
		return found, nil
	})
	fn("substring", two, TextOID, func(a []Value) (Value, error) {
		re, err := compileGreedy(a[1].(string), false)
		if err != nil {
			return nil, err
		}
		m := re.FindStringSubmatch(a[0].(string))
		if m == nil {
			return nil, nil
		}
		return m[min(1, len(m)-1)], nil
	})
}

// regexpReplace replaces the first match, or all with the flag g. \1 in the replacement is a group and \& the match.
func regexpReplace(text, pattern, replacement, flags string) (Value, error) {
	if what := strings.Trim(flags, "gi"); what != "" {
		return nil, pgerror.Lacks("the flags %q of regexp_replace", flags)
	}
	re, err := compileGreedy(pattern, strings.Contains(flags, "i"))
	if err != nil {
		return nil, err
	}
	template := regexp.MustCompile(`\$|\\.`).ReplaceAllStringFunc(replacement, func(s string) string {
		switch {
		case s == "$":
			return "$$"
		case s[1] == '&':
			return "${0}"
		case '1' <= s[1] && s[1] <= '9':
			return "${" + s[1:] + "}"
		}
		return s[1:]
	})
	if strings.Contains(flags, "g") {
		return re.ReplaceAllString(text, template), nil
	}
	m := re.FindStringSubmatchIndex(text)
	if m == nil {
		return text, nil
	}
	return text[:m[0]] + string(re.ExpandString(nil, template, text, m)) + text[m[1]:], nil
}
