"""Filters that move pixels, and those that make images of other sizes."""
import numpy as np

from registry import border_index, oracle


@oracle('flip', dict(direction='horizontal'), dict(direction='vertical'), dict(direction='both'),
        exact=True, bound=1e-7)
def flip(c, p):
    c = c if p.direction == 'vertical' else c[:, ::-1]
    return c if p.direction == 'horizontal' else c[::-1]


@oracle('transpose', dict(diagonal='main'), dict(diagonal='anti'), exact=True, bound=1e-7)
def transpose(c, p):
    c = c if p.diagonal == 'main' else c[::-1, ::-1]
    return c.transpose(1, 0, 2)


@oracle('rotate', dict(angle=90), dict(angle=180), dict(angle=270), exact=True, bound=1e-7)
def rotate(c, p):
    """np.rot90 turns counterclockwise."""
    return np.rot90(c, -p.angle // 90)


@oracle('pad', dict(left=0, right=0, top=0, bottom=0, width=0, height=0, border='constant',
                    color=(0, 0, 0, 0)),
        dict(left=2, top=1, color=(0.2, 0.6, 0.4, 1)), dict(width=700, height=301, bottom=3),
        dict(left=3, right=70, bottom=2, border='mirror'),
        dict(left=30, right=7, top=20, border='wrap'),
        dict(left=3, right=70, top=9, border='replicate'), exact=True, bound=1e-7)
def pad(c, p):
    lists, outside = [], []
    for side, first, last, wanted in ((c.shape[0], p.top, p.bottom, p.height),
                                      (c.shape[1], p.left, p.right, p.width)):
        size = side + first + last
        extra = wanted - size if wanted else 0
        index, constant = border_index(np.arange(size + extra) - first - extra // 2, side, p.border)
        lists.append(index)
        outside.append(constant)
    out = c[np.ix_(*lists)]
    color = np.array((tuple(p.color) + (1,))[:4])
    if p.grey:
        color[1:3] = color[0]
    if not p.has_alpha:
        color[3] = 1
    out[np.logical_or.outer(*outside)] = color
    return out
