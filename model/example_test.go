package model_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// Two clients took the same mutex, and the first had not called its release.
func ExampleSpec_Model() {
	spec := model.Spec{Kind: model.KindMutex}
	calls := []model.Call{
		{ID: 1, Client: "c1", Object: "lock", Op: model.Acquire, Call: 1, Return: 2, Outcome: model.OK},
		{ID: 2, Client: "c2", Object: "lock", Op: model.Acquire, Call: 3, Return: 5, Outcome: model.OK},
		{ID: 3, Client: "c1", Object: "lock", Op: model.Release, Call: 6, Return: 7, Outcome: model.OK},
	}
	fmt.Println(porcupine.CheckOperations(spec.Model(), model.Operations(spec, calls)))

	calls[2].Call = 4 // while c2 was waiting
	fmt.Println(porcupine.CheckOperations(spec.Model(), model.Operations(spec, calls)))
	// Output:
	// false
	// true
}

// A call that makes no sense is named by its number.
func ExampleSpec_Check() {
	spec := model.Spec{Kind: model.KindSemaphore, Permits: 3}
	fmt.Println(spec.Check(&model.Call{ID: 12, Client: "c1", Object: "pool", Op: model.Extend, Call: 1, Return: 2, Outcome: model.OK}))
	// Output:
	// call 12: operation "extend": a semaphore has acquire, release, crash
}
