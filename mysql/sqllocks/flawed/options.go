package flawed

import (
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/internal/recipe"
)

func newOptions(o sqllocks.Options) *recipe.Options { return recipe.New(recipe.Config(o)) }
