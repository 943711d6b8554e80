package executor

// quicksort sorts as PostgreSQL's sort_template.h does, so that equal elements are in the same order as there.
func quicksort[T any](a []T, cmp func(x, y T) int) {
	for {
		n := len(a)
		if sortedAlready(a, cmp) {
			return
		}
		if n < 7 {
			for m := 1; m < n; m++ {
				for l := m; l > 0 && cmp(a[l-1], a[l]) > 0; l-- {
					a[l], a[l-1] = a[l-1], a[l]
				}
			}
			return
		}
		pivot(a, cmp)
		left, right := partition(a, cmp)
		if left <= right { // the smaller part first, then the other one in this loop
			if left > 1 {
				quicksort(a[:left], cmp)
			}
			if right <= 1 {
				return
			}
			a = a[n-right:]
			continue
		}
		if right > 1 {
			quicksort(a[n-right:], cmp)
		}
		if left <= 1 {
			return
		}
		a = a[:left]
	}
}

func sortedAlready[T any](a []T, cmp func(x, y T) int) bool {
	for m := 1; m < len(a); m++ {
		if cmp(a[m-1], a[m]) > 0 {
			return false
		}
	}
	return true
}

// pivot moves the element that divides the others to the front.
func pivot[T any](a []T, cmp func(x, y T) int) {
	n := len(a)
	m := n / 2
	if n > 7 {
		l, r := 0, n-1
		if n > 40 {
			d := n / 8
			l = median(a, l, l+d, l+2*d, cmp)
			m = median(a, m-d, m, m+d, cmp)
			r = median(a, r-2*d, r-d, r, cmp)
		}
		m = median(a, l, m, r, cmp)
	}
	a[0], a[m] = a[m], a[0]
}

func median[T any](a []T, x, y, z int, cmp func(x, y T) int) int {
	if cmp(a[x], a[y]) < 0 {
		switch {
		case cmp(a[y], a[z]) < 0:
			return y
		case cmp(a[x], a[z]) < 0:
			return z
		}
		return x
	}
	switch {
	case cmp(a[y], a[z]) > 0:
		return y
	case cmp(a[x], a[z]) < 0:
		return x
	}
	return z
}

// partition divides the elements by the first one, and returns how many are less and how many are greater than it.
func partition[T any](a []T, cmp func(x, y T) int) (less, greater int) {
	n := len(a)
	pa, pb, pc, pd := 1, 1, n-1, n-1
	for {
		for pb <= pc {
			r := cmp(a[pb], a[0])
			if r > 0 {
				break
			}
			if r == 0 {
				a[pa], a[pb] = a[pb], a[pa]
				pa++
			}
			pb++
		}
		for pb <= pc {
			r := cmp(a[pc], a[0])
			if r < 0 {
				break
			}
			if r == 0 {
				a[pc], a[pd] = a[pd], a[pc]
				pd--
			}
			pc--
		}
		if pb > pc {
			break
		}
		a[pb], a[pc] = a[pc], a[pb]
		pb++
		pc--
	}
	swap(a, 0, pb-min(pa, pb-pa), min(pa, pb-pa))
	d := min(pd-pc, n-pd-1)
	swap(a, pb, n-d, d)
	return pb - pa, pd - pc
}

// swap exchanges n elements.
func swap[T any](a []T, i, j, n int) {
	for ; n > 0; n-- {
		a[i], a[j] = a[j], a[i]
		i, j = i+1, j+1
	}
}

// heapsort returns the first n elements of a sorted list, as tuplesort.c does by a heap of them with the last one on top.
func heapsort[T any](list []T, n int, cmp func(x, y T) int) []T {
	last := func(x, y T) int { return cmp(y, x) }
	heap := make([]T, 0, n)
	for _, x := range list {
		switch {
		case len(heap) < n:
			heap = append(heap, x)
			j := len(heap) - 1
			for j > 0 && last(x, heap[(j-1)/2]) < 0 {
				heap[j] = heap[(j-1)/2]
				j = (j - 1) / 2
			}
			heap[j] = x
		case last(x, heap[0]) > 0:
			sink(heap, x, last)
		}
	}
	for end := len(heap) - 1; end > 0; end-- {
		top := heap[0]
		sink(heap[:end], heap[end], last)
		heap[end] = top
	}
	return heap
}

// sink replaces the top of a heap.
func sink[T any](heap []T, x T, cmp func(x, y T) int) {
	i := 0
	for {
		j := 2*i + 1
		if j >= len(heap) {
			break
		}
		if j+1 < len(heap) && cmp(heap[j], heap[j+1]) > 0 {
			j++
		}
		if cmp(x, heap[j]) <= 0 {
			break
		}
		heap[i] = heap[j]
		i = j
	}
	heap[i] = x
}
