package scenarios

import "time"

// Remedied is a remedy with the cell in which it was applied.
type Remedied struct {
	Remedy
	Cell Cell
}

// Remedies are the scenario's remedies, applied to the cell. Those that change
// nothing, or name a lock that is not among the given ones, are left out.
func (c Cell) Remedies(locks []Lock) []Remedied {
	var list []Remedied
	for _, r := range c.Scenario.Remedies {
		cell := c
		if r.Lock != "" {
			l, err := FindLock(locks, r.Lock)
			if err != nil || l.ID == c.Lock.ID {
				continue
			}
			cell.Lock = l
			l.furnish(&cell.Params)
		}
		if r.Lease > 0 {
			cell.Params.Lease = min(cell.Params.lease()*time.Duration(r.Lease), maxLease)
		}
		list = append(list, Remedied{r, cell})
	}
	return list
}
