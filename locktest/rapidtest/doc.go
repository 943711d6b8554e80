// Package rapidtest makes scenarios properties for [pgregory.net/rapid], which takes the place of
// the search: rapid draws every decision of a run, shrinks one that fails towards calm, saves it
// under testdata/rapid and tries it first next time.
//
//	func TestMyLock(t *testing.T) {
//		rapid.Check(t, rapidtest.Property("gc-pause", redis.Store, newMyLock))
//	}
package rapidtest
