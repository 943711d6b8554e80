package objects_test

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// Two clients took the same mutex, and the first had not called its release.
func ExampleModel() {
	spec := model.Spec{Kind: model.KindMutex}
	calls := []model.Call{
		{ID: 1, Client: "c1", Object: "lock", Op: model.Acquire, Call: 1, Return: 2, Outcome: model.OK},
		{ID: 2, Client: "c2", Object: "lock", Op: model.Acquire, Call: 3, Return: 5, Outcome: model.OK},
		{ID: 3, Client: "c1", Object: "lock", Op: model.Release, Call: 6, Return: 7, Outcome: model.OK},
	}
	fmt.Println(porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls)))

	calls[2].Call = 4 // while c2 was waiting
	fmt.Println(porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls)))
	// Output:
	// false
	// true
}
