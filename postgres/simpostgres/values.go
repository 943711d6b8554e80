package simpostgres

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// unknownSetting is the error about a parameter that there is not: in PostgreSQL, or in the simulation.
func unknownSetting(name string) error {
	if isOneOf(strings.ToLower(name), otherSettings...) || slices.ContainsFunc(otherSettings, func(o string) bool { return strings.EqualFold(o, name) }) {
		return pgerror.Lacks("the parameter %s", name)
	}
	return pgerror.New(pgerror.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// read reads a value, and returns it in the form in which it is kept.
func (p *parameter) read(text string) (string, error) {
	kept, err := p.parse(text)
	if err == nil && len(p.only) > 0 && !slices.Contains(p.only, kept) {
		err = pgerror.Lacks("%s = %s", p.name, text)
	}
	return kept, err
}

// parse reads a value.
func (p *parameter) parse(text string) (string, error) {
	switch p.kind {
	case boolSetting:
		on, ok := parseBool(text)
		if !ok {
			return "", pgerror.New(pgerror.InvalidParameterValue, "parameter %q requires a Boolean value", p.name)
		}
		return onOff(on), nil
	case intSetting:
		return p.parseInt(text)
	case enumSetting:
		return p.parseEnum(text)
	}
	switch p.name {
	case "DateStyle":
		return p.known(text, map[string]string{"iso": "ISO, MDY", "iso,mdy": "ISO, MDY", "mdy": "ISO, MDY", "iso,us": "ISO, MDY"})
	case "TimeZone":
		return p.known(text, map[string]string{"utc": "UTC", "etc/utc": "Etc/UTC", "gmt": "GMT", "zulu": "Zulu", "uct": "UCT", "etc/gmt": "Etc/GMT", "universal": "Universal"})
	case "client_encoding":
		return p.known(text, map[string]string{"utf8": "UTF8", "utf-8": "UTF8", "unicode": "UTF8"})
	}
	return text, nil
}

// known returns the kept form of a value that is one of a few. Whether PostgreSQL knows another is not known.
func (p *parameter) known(text string, values map[string]string) (string, error) {
	if kept := values[strings.ToLower(strings.ReplaceAll(text, " ", ""))]; kept != "" {
		return kept, nil
	}
	return "", pgerror.Lacks("%s = '%s'", p.name, text)
}

// parseBool reads a bool: on, off, true, false, yes, no, 1, 0, or a beginning of one that no other has.
func parseBool(text string) (on, ok bool) {
	text = strings.ToLower(text)
	begins := func(word string, least int) bool { return len(text) >= least && strings.HasPrefix(word, text) }
	switch {
	case begins("true", 1), begins("yes", 1), text == "on", text == "1":
		return true, true
	case begins("false", 1), begins("no", 1), begins("off", 2), text == "0":
		return false, true
	}
	return false, false
}

// parseEnum reads one of a few words.
func (p *parameter) parseEnum(text string) (string, error) {
	word := strings.ToLower(text)
	if slices.Contains(p.values, word) {
		return word, nil
	}
	if p.name == "synchronous_commit" && isOneOf(word, "true", "yes", "1") {
		return "on", nil
	}
	if p.name == "synchronous_commit" && isOneOf(word, "false", "no", "0") {
		return "off", nil
	}
	return "", pgerror.New(pgerror.InvalidParameterValue, "invalid value for parameter %q: %q", p.name, text).
		WithHint("Available values: %s.", strings.Join(p.values, ", "))
}

// unit is a unit of a parameter, with its size in the smallest one of its kind.
type unit struct {
	name string
	size float64
}

var (
	timeUnits   = []unit{{"d", 86400e6}, {"h", 3600e6}, {"min", 60e6}, {"s", 1e6}, {"ms", 1e3}, {"us", 1}}
	memoryUnits = []unit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}
)

// units returns the units in which the parameter may be given, the largest first, and the size of its own.
func (p *parameter) units() (list []unit, own float64, hint string) {
	switch p.unit {
	case "kB":
		list, hint = memoryUnits, `Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`
	case "ms", "s":
		list, hint = timeUnits, `Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`
	}
	for _, u := range list {
		if u.name == p.unit {
			own = u.size
		}
	}
	return list, own, hint
}

// parseInt reads a number, which may have a unit.
func (p *parameter) parseInt(text string) (string, error) {
	text = strings.TrimSpace(text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number, err := strconv.ParseFloat(text[:end], 64)
	invalid := func(hint string) error {
		return pgerror.New(pgerror.InvalidParameterValue, "invalid value for parameter %q: %q", p.name, text).WithHint("%s", hint)
	}
	if err != nil {
		return "", invalid("")
	}
	if word := strings.TrimSpace(text[end:]); word != "" {
		list, own, hint := p.units()
		i := slices.IndexFunc(list, func(u unit) bool { return u.name == word })
		if i < 0 {
			return "", invalid(hint)
		}
		number *= list[i].size / own
	}
	number = math.RoundToEven(number)
	if number < float64(p.min) || number > float64(p.max) {
		word := ""
		if p.unit != "" {
			word = " " + p.unit
		}
		return "", pgerror.New(pgerror.InvalidParameterValue, "%.0f%s is outside the valid range for parameter %q (%d .. %d)", number, word, p.name, p.min, p.max)
	}
	return strconv.FormatInt(int64(number), 10), nil
}

// show returns a kept value as SHOW does: a number in the largest unit that leaves it whole.
func (p *parameter) show(kept string) string {
	if p.unit == "" {
		return kept
	}
	number, err := strconv.ParseInt(kept, 10, 64)
	if err != nil || number <= 0 {
		return kept
	}
	list, own, _ := p.units()
	for _, u := range list {
		if size := int64(u.size / own); size > 0 && number%size == 0 {
			return strconv.FormatInt(number/size, 10) + u.name
		}
	}
	return kept
}

// splitOptions reads the options of a server's command line that a client sends: -c name=value or --name=value.
func splitOptions(text string) (list [][2]string, err error) {
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		word, isLong := strings.CutPrefix(words[i], "--")
		if !isLong {
			short, ok := strings.CutPrefix(words[i], "-c")
			if word = short; ok && word == "" && i+1 < len(words) {
				i++
				word = words[i]
			}
		}
		name, text, ok := strings.Cut(word, "=")
		if !ok || strings.Contains(text, `\`) {
			return nil, pgerror.Lacks("the option %s of a connection", words[i])
		}
		list = append(list, [2]string{strings.ReplaceAll(name, "-", "_"), text})
	}
	return list, nil
}

// sortedNames returns the keys of a map, in order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// isOneOf reports whether a word is one of those.
func isOneOf(word string, list ...string) bool { return slices.Contains(list, word) }

// quoted returns a statement in quotation marks, without its line breaks, at most so much of it as fits into a line.
func quoted(text string) string {
	return strconv.Quote(wording.Fit(strings.Join(strings.Fields(text), " "), 200))
}

// quotedName returns a name as a list of names shows it.
func quotedName(name string) string {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (i == 0 || (r < '0' || r > '9') && r != '$') {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	if name == "" {
		return `""`
	}
	return name
}
