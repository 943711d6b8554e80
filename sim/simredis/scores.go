package simredis

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The node writes sorted sets itself, because the engine takes the scores of one ZADD
// in the order of a map, ignores other options beside INCR, and accepts NaN as a score.

const (
	errFloat = "ERR value is not a valid float"
	errNaN   = "ERR resulting score is not a number (NaN)"
)

// addition has the arguments of ZADD or ZINCRBY.
type addition struct {
	nx, xx, gt, lt, ch, incr bool
	pairs                    []string // scores and members in turn
	scores                   []float64
}

// parseAddition parses the arguments of ZADD after the key. If they are wrong, it
// returns the error as reason.
func parseAddition(words []string) (a addition, reason string) {
	options := map[string]*bool{"nx": &a.nx, "xx": &a.xx, "gt": &a.gt, "lt": &a.lt, "ch": &a.ch, "incr": &a.incr}
	for len(words) > 0 && options[strings.ToLower(words[0])] != nil {
		*options[strings.ToLower(words[0])] = true
		words = words[1:]
	}
	a.pairs = words
	switch {
	case len(words) == 0 || len(words)%2 != 0:
		return a, errSyntax
	case a.nx && a.xx:
		return a, "ERR XX and NX options at the same time are not compatible"
	case a.gt && a.lt || a.gt && a.nx || a.lt && a.nx:
		return a, "ERR GT, LT, and/or NX options at the same time are not compatible"
	case a.incr && len(words) > 2:
		return a, "ERR INCR option supports a single increment-element pair"
	}
	return a, a.parseScores()
}

func (a *addition) parseScores() (reason string) {
	for i := 0; i < len(a.pairs); i += 2 {
		score, ok := parseScore(a.pairs[i])
		if !ok {
			return errFloat
		}
		a.scores = append(a.scores, score)
	}
	return ""
}

// parseScore reads a score as Redis does, in the notation of C, without blanks.
func parseScore(s string) (score float64, ok bool) {
	if s != strings.Trim(s, " \t\n\v\f\r\x00") {
		return 0, false
	}
	score, ok = parseNumber(s)
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	tooLarge := math.IsInf(score, 0) && !strings.Contains(mantissa, "inf")
	tooSmall := score == 0 && strings.ContainsAny(mantissa, "123456789")
	return score, ok && !tooLarge && !tooSmall && !math.IsNaN(score)
}

// zadd is ZADD.
func (n *Node) zadd(r *request) {
	a, reason := parseAddition(r.args[1:])
	if reason != "" {
		r.out.WriteError(reason)
		return
	}
	n.addScores(r, a)
}

// zincrby is ZINCRBY.
func (n *Node) zincrby(r *request) {
	a := addition{incr: true, pairs: r.args[1:]}
	if reason := a.parseScores(); reason != "" {
		r.out.WriteError(reason)
		return
	}
	n.addScores(r, a)
}

// addScores makes the addition, one member after the other. If a score becomes NaN, the
// members before it stay changed.
func (n *Node) addScores(r *request, a addition) {
	key, old := r.args[0], n.lookup(r.args[0])
	if old == nil {
		old = &entry{value: value{kind: "zset"}}
	} else if old.value.kind != "zset" {
		r.out.WriteError(errWrongType)
		return
	}
	set, failed := slices.Clone(old.value.items), false
	added, updated, processed, last := 0, 0, false, 0.0
	for i, by := range a.scores {
		result := add(&set, a, a.pairs[2*i+1], by)
		if failed = result.nan; failed {
			break
		}
		if result.added {
			added++
		} else if result.updated {
			updated++
		}
		if !result.nothing {
			processed, last = true, result.score
		}
	}
	if added+updated > 0 {
		n.put(r, key, value{kind: "zset", items: set}, old.expires)
	}
	switch {
	case failed:
		r.out.WriteError(errNaN)
	case a.incr && processed:
		r.out.WriteFloat(last)
	case a.incr:
		r.out.WriteNull()
	case a.ch:
		r.out.WriteInt(added + updated)
	default:
		r.out.WriteInt(added)
	}
}

// scored is the result for one member.
type scored struct {
	score                        float64
	added, updated, nothing, nan bool
}

// add adds one member to a sorted set, or changes its score.
func add(set *[]string, a addition, member string, by float64) scored {
	at := 0 // members are in order
	for at < len(*set) && (*set)[at] < member {
		at += 2
	}
	if at == len(*set) || (*set)[at] != member {
		if a.xx {
			return scored{nothing: true}
		}
		*set = slices.Insert(*set, at, member, formatScore(by))
		return scored{score: by, added: true}
	}
	now, _ := strconv.ParseFloat((*set)[at+1], 64) // formatted here or by read
	score := by
	if a.incr {
		score += now
	}
	switch {
	case a.nx:
		return scored{nothing: true}
	case math.IsNaN(score):
		return scored{nan: true}
	case a.lt && score >= now || a.gt && score <= now:
		return scored{nothing: true}
	}
	if score == now {
		return scored{score: score}
	}
	(*set)[at+1] = formatScore(score)
	return scored{score: score, updated: true}
}

// formatScore formats a score as it is stored: a zero has no sign.
func formatScore(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// hincrby is HINCRBY; the engine lets the sum overflow, and adds to texts that
// are no numbers to Redis.
func (n *Node) hincrby(r *request) {
	key, field := r.args[0], r.args[1]
	by, ok := integer(r.args[2])
	if !ok {
		r.out.WriteError(errInteger)
		return
	}
	fields, expires := []string(nil), time.Time{}
	if e := n.lookup(key); e != nil {
		if e.value.kind != "hash" {
			r.out.WriteError(errWrongType)
			return
		}
		fields, expires = slices.Clone(e.value.items), e.expires
	}
	at := 0 // fields are in order
	for at < len(fields) && fields[at] < field {
		at += 2
	}
	if at == len(fields) || fields[at] != field {
		fields = slices.Insert(fields, at, field, "0")
	}
	now, ok := integer(fields[at+1])
	switch {
	case !ok:
		r.out.WriteError("ERR hash value is not an integer")
		return
	case overflows(now, by):
		r.out.WriteError(errOverflow)
		return
	}
	fields[at+1] = strconv.FormatInt(now+by, 10)
	n.put(r, key, value{kind: "hash", items: fields}, expires)
	r.out.WriteInt(int(now + by))
}
