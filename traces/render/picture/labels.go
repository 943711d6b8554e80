package picture

import (
	"slices"
	"strings"
)

// box is occupied room.
type box struct{ x0, x1, y float64 }

// bar is the place of a bar on a picture.
type bar struct {
	x0, x1, y0, y1 float64
	detail         int
	// soft is set if it may cover another bar and its text: a pause, or the outline of something that has ended.
	soft bool
}

// room is the room that bars have, and that texts have taken so far.
type room struct {
	left, right float64
	bars        []bar
	taken       []box
}

// A line of text reaches from ascent above its base line to descent below.
const (
	ascent  = 9.5
	descent = 2.5
)

// lineHeight is the minimum distance of base lines at which texts do not touch.
const lineHeight = 13

// take takes room for a text and reports whether it was free of other texts, and of bars that are not its own.
func (r *room) take(b box, own []int) bool {
	if b.x0 < r.left-1 || b.x1 > r.right+1 || r.barred(b, own) {
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

// barred reports whether a text would cover a bar that is not its own. A soft bar does not count where the text is within
// one of its own.
func (r *room) barred(b box, own []int) bool {
	within, soft := false, false
	for i := range r.bars {
		bar := &r.bars[i]
		switch isOwn := slices.Contains(own, bar.detail); {
		case b.x1 <= bar.x0 || bar.x1 <= b.x0 || b.y+descent <= bar.y0 || bar.y1 <= b.y-ascent:
		case isOwn:
			within = within || bar.x0 <= b.x0 && b.x1 <= bar.x1 && bar.y0 <= b.y-ascent && b.y+descent <= bar.y1
		case !bar.soft:
			return true
		default:
			soft = true
		}
	}
	return soft && !within
}

// labelWidth returns the width of a label. It is a safe estimate, for the widest font of the style sheet: no browser
// measures it, so that a picture is the same everywhere. The script of the page measures.
func labelWidth(class, text string) float64 {
	width := 0.0
	for _, r := range text {
		width += letterWidth(r)
	}
	name, rest, _ := strings.Cut(class, " ")
	if name == "on" || name == "flag" || name == "epochname" || rest != "" && name != "msgname" {
		return float64(width * 1.12) // bold
	}
	return width
}

// letterWidth returns the width of a letter.
func letterWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl'|I", r):
		return 3.8
	case strings.ContainsRune("ftr.,:;()[]!/- ", r):
		return 5
	case strings.ContainsRune("mwMW@%…=+<>→✗", r) || r > 0x2e80:
		return 12
	case 'A' <= r && r <= 'Z' || r > 0x7f:
		return 9
	}
	return 7.7
}

// set is the text and the place of a label on a picture.
type set struct {
	x, y float64
	text string
	ok   bool // there is room for it
}

// place finds room for a label between the pixels of its ends. The script of
// the page does the same; see place in view.js.
func (r *room) place(l *Label, x0, x1 float64) set {
	from, to := max(x0, r.left), min(x1, r.right)
	if from > to || x1-x0 < l.need {
		return set{}
	}
	for _, text := range []string{l.Long, l.Short} {
		if text == "" {
			continue
		}
		width := labelWidth(l.Class, text)
		for _, base := range []float64{l.Y, l.above} {
			if base == 0 {
				continue
			}
			for _, x := range r.choices(l, x0, x1, width) {
				y := base
				if l.fall != 0 {
					y += float64(l.fall * ((x + width/2 - x0) / (x1 - x0))) // rounded: see frame.x
				}
				if r.take(box{x - 1, x + width + 1, y}, l.own) {
					return set{x, y, text, true}
				}
			}
		}
	}
	return set{}
}

// middles are the preferred places of a text in the middle of a stretch, the best first.
var middles = []float64{1. / 2, 1. / 4, 3. / 4, 1. / 8, 7. / 8}

// choices returns the places at which a text of a width may begin, the best
// first.
func (r *room) choices(l *Label, x0, x1, width float64) []float64 {
	const gap = 9
	from, to := max(x0, r.left), min(x1, r.right)
	switch l.Place {
	case placeInside:
		if width+gap <= to-from {
			return []float64{from + 4}
		}
	case placeMiddle:
		var all []float64
		if rest := to - from - width; rest >= gap {
			for _, part := range middles {
				all = append(all, from+float64(rest*part))
			}
		}
		return all
	case placeFlag:
		return []float64{max(r.left+4, min(from+4, r.right-width-4))}
	case placeAfter:
		if x0 >= r.left {
			return []float64{x0 + gap, x0 - gap - width}
		}
	case PlaceBefore:
		if x1 <= r.right {
			return []float64{x1 - gap - width, x1 + gap}
		}
	}
	return nil
}
