package flawed

import (
	"github.com/lockpick-dev/lockpick/lock/sqllocks"
	"github.com/lockpick-dev/lockpick/lock/sqllocks/internal/recipe"
)

func newOptions(o sqllocks.Options) *recipe.Options { return recipe.New(recipe.Config(o)) }
