// The colour that PLANES components are. Alpha is one of them if there are four.
color color_of_components(vec4 v)
{
    return PLANES == 1   ? rgba(v.x, v.x, v.x, 1.0)
           : PLANES == 2 ? rgba(v.x, v.y, 0.0, 1.0)
           : PLANES == 3 ? rgba(v.x, v.y, v.z, 1.0)
                         : rgba(v.x, v.y, v.z, v.w);
}
