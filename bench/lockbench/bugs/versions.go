package bugs

import "github.com/lockpick-dev/lockpick/bench/lockbench/bugs/published"

func init() {
	for _, b := range published.Bugs() {
		add(b)
	}
}
