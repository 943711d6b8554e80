package simrun

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// settingsMark marks cells that are searched with other parameters than the scenario's.
const settingsMark = "†"

// confirmedMark marks cells with a counterexample that was confirmed on real servers.
const (
	confirmedMark = "‡"
	confirmedText = "a counterexample was made to happen on real servers (simrun confirm --write)"
)

// marked returns the marks of a cell: with other parameters, and with a confirmed counterexample.
func marked(c *matrix.Cell) string {
	if c.Confirmed() {
		return withSettings(c) + confirmedMark
	}
	return withSettings(c)
}

// withSettings returns the mark of a cell with other parameters, empty for other cells.
func withSettings(c *matrix.Cell) string {
	if c.Expected.Except == "" && len(c.Other()) > 0 {
		return settingsMark
	}
	return ""
}

// anyConfirmed reports whether some cell has a confirmed counterexample.
func (m *matrixReport) anyConfirmed() bool {
	return slices.ContainsFunc(m.Cells(), (*matrix.Cell).Confirmed)
}

// settingsText lists the cells with other parameters, empty if there are none. The most
// frequent parameters come last, for all other cells.
func (m *matrixReport) settingsText() string {
	var order []string
	cells := map[string][]*matrix.Cell{}
	for _, c := range m.Cells() {
		if withSettings(c) == "" {
			continue
		}
		with := parameters(c.Other())
		if cells[with] == nil {
			order = append(order, with)
		}
		cells[with] = append(cells[with], c)
	}
	if len(order) == 0 {
		return ""
	}
	most := order[0]
	for _, with := range order {
		if len(cells[with]) > len(cells[most]) {
			most = with
		}
	}
	var parts []string
	for _, with := range order {
		if with != most || len(cells[most]) == 1 {
			parts = append(parts, with+" for "+cellsText(cells[with]))
		}
	}
	if len(cells[most]) > 1 {
		all := "all marked cells"
		if len(parts) > 0 {
			all = "all others"
		}
		parts = append(parts, most+" for "+all)
	}
	return "searched with other parameters than the scenario's: " + strings.Join(parts, "; ")
}

// cellsText names cells, with the scenarios of each lock together, and the locks of the same scenarios: "setpx and pull under
// contention and storm, setnx under storm".
func cellsText(cells []*matrix.Cell) string {
	var order []string
	locks := map[string][]string{}
	for len(cells) > 0 {
		lock, n := cells[0].Lock.ID, 0
		var under []string
		for ; n < len(cells) && cells[n].Lock.ID == lock; n++ {
			under = append(under, cells[n].Scenario.ID)
		}
		cells = cells[n:]
		text := wording.And(under)
		if locks[text] == nil {
			order = append(order, text)
		}
		locks[text] = append(locks[text], lock)
	}
	for i, text := range order {
		order[i] = wording.And(locks[text]) + " under " + text
	}
	return strings.Join(order, ", ")
}
