package render

import (
	"strings"
	"unicode/utf8"
)

// box is room that is taken.
type box struct{ x0, x1, y float64 }

// room is the room on a picture that texts have taken so far.
type room struct {
	left, right float64
	taken       []box
}

// lineHeight is how far apart base lines must be for texts not to touch.
const lineHeight = 13

// take takes room for a text and reports whether it was free.
func (r *room) take(b box) bool {
	if b.x0 < r.left-1 || b.x1 > r.right+1 {
		return false
	}
	for _, t := range r.taken {
		if b.x0 < t.x1 && t.x0 < b.x1 && b.y < t.y+lineHeight && t.y < b.y+lineHeight {
			return false
		}
	}
	r.taken = append(r.taken, b)
	return true
}

// letterWidth is the width of an average letter of the labels of a class. It
// is an estimate on the safe side: no browser is asked, so that a picture is
// the same everywhere.
func letterWidth(class string) float64 {
	name, rest, _ := strings.Cut(class, " ")
	switch {
	case name == "flag":
		return 7.6 // bold, and larger
	case name == "on" || name == "epochname" || rest != "" && name != "msgname":
		return 7.1 // bold
	}
	return 6.6
}

// set is a label as it stands on a picture.
type set struct {
	x, y float64
	text string
	ok   bool // there is room for it
}

// place finds room for a label between the pixels of its ends. The script of
// the page does the same; see place in view.js.
func (r *room) place(l *label, x0, x1 float64) set {
	from, to := max(x0, r.left), min(x1, r.right)
	if from > to || x1-x0 < l.need {
		return set{}
	}
	for _, text := range []string{l.long, l.short} {
		if text == "" {
			continue
		}
		width := float64(float64(utf8.RuneCountInString(text)) * letterWidth(l.class)) // rounded: see frame.x
		for _, x := range r.choices(l, x0, x1, width) {
			y := l.y
			if l.fall != 0 {
				y += float64(l.fall * ((x + width/2 - x0) / (x1 - x0)))
			}
			if r.take(box{x - 1, x + width + 1, y}) {
				return set{x, y, text, true}
			}
		}
	}
	return set{}
}

// choices are the places at which a text of a width may begin, the best
// first.
func (r *room) choices(l *label, x0, x1, width float64) []float64 {
	const gap = 9
	from, to := max(x0, r.left), min(x1, r.right)
	switch l.place {
	case placeInside:
		if width+gap <= to-from {
			return []float64{from + 4}
		}
	case placeMiddle:
		if rest := to - from - width; rest >= gap && l.fall != 0 {
			return []float64{from + rest/2, from + rest/4, to - width - rest/4}
		} else if rest >= gap {
			return []float64{from + rest/2}
		}
	case placeFlag:
		return []float64{max(r.left+4, min(from+4, r.right-width-4))}
	case placeAfter:
		if x0 >= r.left {
			return []float64{x0 + gap, x0 - gap - width}
		}
	case placeBefore:
		if x1 <= r.right {
			return []float64{x1 - gap - width, x1 + gap}
		}
	}
	return nil
}
