package wording

import (
	"fmt"
	"strings"
)

// Unknown returns a text for an unknown name, with the name that was probably meant, and the known ones: `there is no lock
// "setp"; did you mean setpx? There are setpx, pull`.
func Unknown(what, name string, known []string) string {
	list := strings.Join(known, ", ")
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("there is no %s %q; did you mean %s? There are %s", what, name, near, list)
	}
	return fmt.Sprintf("there is no %s %q; there are %s", what, name, list)
}

// Some lists the first few of many: "a, b, c, d, e and 7 more", or all if there are no more than five.
func Some(list []string) string {
	const few = 5
	if len(list) > few {
		return fmt.Sprintf("%s and %s more", strings.Join(list[:few], ", "), Grouped(len(list)-few))
	}
	return And(list)
}

// Nearest returns the name that was probably meant: the one at the least distance, of at most a third of the letters, or
// of one letter of two. Each letter inserted, deleted, replaced or swapped counts as one. It is empty if there is none.
func Nearest(name string, known []string) (best string) {
	least := len(name)/3 + 1
	if len(name) == 2 {
		least = 2
	}
	for _, k := range known {
		d := distance(name, k)
		if strings.HasPrefix(k, name) && len(name) > 2 {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// distance returns the optimal string alignment distance, the Damerau-Levenshtein distance in which
// no letter is changed twice.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			replaced := rows[i][j]
			if x[i] != y[j] {
				replaced++
			}
			d := min(replaced, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}
