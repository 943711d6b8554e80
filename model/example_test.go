package model_test

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// A call that makes no sense is named by its number.
func ExampleSpec_Check() {
	spec := model.Spec{Kind: model.KindSemaphore, Permits: 3}
	fmt.Println(spec.Check(&model.Call{ID: 12, Client: "c1", Object: "pool", Op: model.Extend, Call: 1, Return: 2, Outcome: model.OK}))
	// Output:
	// call 12: operation "extend": a semaphore has acquire, release, crash
}
