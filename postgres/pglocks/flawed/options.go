package flawed

import (
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

func newOptions(o pglocks.Options) *recipe.Options { return recipe.New(recipe.Config(o)) }
