/*
 * Gallium for microcontrollers: 3D graphics in memory that the program hands over.
 *
 * Made by cbindgen from the crate gallium-c (kit/c). Its README begins with a cube.
 *
 * Rules for all functions:
 *
 * - A pointer argument is null or points to an object of its type. Null is refused with
 *   GALLIUM_ERROR_NULL_POINTER where the text of the function does not allow it.
 * - One thread at a time calls functions with one `gallium`. A panel's functions must not call any
 *   function with the `gallium` that presents; such a call returns GALLIUM_ERROR_BUSY.
 * - Objects live until `gallium_create` gets their memory again. There is no function that destroys
 *   them.
 * - Vertices, indices and texels are used in place: they stay unchanged while the objects live.
 * - After an error the objects are as they were before the call.
 */

#ifndef GALLIUM_H
#define GALLIUM_H

#include <stddef.h>
#include <stdint.h>

/**
 * The result of a function; `gallium_error_text` returns its text.
 */
enum gallium_error
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The call succeeded.
     */
    GALLIUM_ERROR_NONE = 0,
    /**
     * An argument is null.
     */
    GALLIUM_ERROR_NULL_POINTER = 1,
    /**
     * A pointer does not lead to an object of its type that this `gallium` made.
     */
    GALLIUM_ERROR_WRONG_OBJECT = 2,
    /**
     * The header names no such value of an enum.
     */
    GALLIUM_ERROR_UNKNOWN_VALUE = 3,
    /**
     * The memory of `gallium_create` is used up.
     */
    GALLIUM_ERROR_OUT_OF_MEMORY = 4,
    /**
     * The picture has more than the scene buffer holds.
     */
    GALLIUM_ERROR_SCENE_FULL = 5,
    /**
     * The archive was built without code that the call needs.
     */
    GALLIUM_ERROR_UNSUPPORTED = 6,
    /**
     * A number exceeds its limit.
     */
    GALLIUM_ERROR_OUT_OF_RANGE = 7,
    /**
     * Arguments contradict each other.
     */
    GALLIUM_ERROR_INVALID = 8,
    /**
     * The mesh lacks an attribute that the material needs, or has another layout.
     */
    GALLIUM_ERROR_WRONG_LAYOUT = 9,
    /**
     * A function of the panel returned an error.
     */
    GALLIUM_ERROR_PANEL = 10,
    /**
     * A function of the panel called a function with the `gallium` that presents.
     */
    GALLIUM_ERROR_BUSY = 11,
    /**
     * Any other reason.
     */
    GALLIUM_ERROR_REFUSED = 12,
    /**
     * The words of a shader are no shader for this version of the archive.
     */
    GALLIUM_ERROR_WRONG_SHADER = 13,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_error gallium_error;
#else
typedef int32_t gallium_error;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Depth buffers of targets.
 */
enum gallium_depth
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No depth buffer: later draws cover earlier ones.
     */
    GALLIUM_DEPTH_NONE = 0,
    /**
     * 16 bits.
     */
    GALLIUM_DEPTH_BITS16 = 1,
    /**
     * 32 bits.
     */
    GALLIUM_DEPTH_BITS32 = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_depth gallium_depth;
#else
typedef uint32_t gallium_depth;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Formats of targets and textures. In memory, the first channel of a name comes first in bytes;
 * 16-bit pixels are little-endian.
 */
enum gallium_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * 16 bits: red in the upper five, green in six, blue in the lower five.
     */
    GALLIUM_FORMAT_RGB565 = 1,
    /**
     * 8 bits each of red, green, blue, alpha.
     */
    GALLIUM_FORMAT_RGBA8 = 2,
    /**
     * 8 bits each of blue, green, red, alpha.
     */
    GALLIUM_FORMAT_BGRA8 = 3,
    /**
     * 8 bits of grey, or an index into a palette.
     */
    GALLIUM_FORMAT_GREY8 = 4,
    /**
     * 4 bits each: alpha in the upper four, then red, green, blue. For textures.
     */
    GALLIUM_FORMAT_ARGB4 = 5,
    /**
     * 1 bit of grey, or an index into a palette. For textures, in this and the next two formats;
     * the first texel of a byte is in its lowest bits.
     */
    GALLIUM_FORMAT_GREY1 = 6,
    /**
     * 2 bits of grey, or an index into a palette.
     */
    GALLIUM_FORMAT_GREY2 = 7,
    /**
     * 4 bits of grey, or an index into a palette.
     */
    GALLIUM_FORMAT_GREY4 = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_format gallium_format;
#else
typedef uint32_t gallium_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Filters of textures.
 */
enum gallium_filter
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The nearest texel of the first level.
     */
    GALLIUM_FILTER_NEAREST = 0,
    /**
     * The mean of four texels of the first level.
     */
    GALLIUM_FILTER_BILINEAR = 1,
    /**
     * The nearest texel of the nearest level.
     */
    GALLIUM_FILTER_NEAREST_LEVEL = 2,
    /**
     * The mean of four texels in each of two levels.
     */
    GALLIUM_FILTER_TRILINEAR = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_filter gallium_filter;
#else
typedef uint32_t gallium_filter;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Blending, depth test and culling of a material.
 */
enum gallium_surface
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Closed bodies: nearer depth wins, back faces are culled. Front faces are counter-clockwise.
     */
    GALLIUM_SURFACE_SOLID = 0,
    /**
     * Thin things: nearer depth wins, both faces are drawn.
     */
    GALLIUM_SURFACE_SHEET = 1,
    /**
     * Glass: alpha blending, tests depth and does not write it. Draw it after the opaque things.
     */
    GALLIUM_SURFACE_GLASS = 2,
    /**
     * 2D pictures: alpha blending, no depth.
     */
    GALLIUM_SURFACE_OVERLAY = 3,
    /**
     * Backgrounds: no blending, no depth, both faces.
     */
    GALLIUM_SURFACE_FLAT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_surface gallium_surface;
#else
typedef uint32_t gallium_surface;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Formats of a vertex's attributes.
 */
enum gallium_vertex_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The vertices do not have the attribute.
     */
    GALLIUM_VERTEX_FORMAT_NONE = 0,
    /**
     * Two floats.
     */
    GALLIUM_VERTEX_FORMAT_FLOAT2 = 1,
    /**
     * Three floats.
     */
    GALLIUM_VERTEX_FORMAT_FLOAT3 = 2,
    /**
     * Four floats.
     */
    GALLIUM_VERTEX_FORMAT_FLOAT4 = 3,
    /**
     * Four unsigned bytes, 0 to 255 for 0 to 1.
     */
    GALLIUM_VERTEX_FORMAT_UNORM8X4 = 4,
    /**
     * Four signed bytes, -127 to 127 for -1 to 1.
     */
    GALLIUM_VERTEX_FORMAT_SNORM8X4 = 5,
    /**
     * Two unsigned 16-bit integers, 0 to 65535 for 0 to 1.
     */
    GALLIUM_VERTEX_FORMAT_UNORM16X2 = 6,
    /**
     * Four signed 16-bit integers, -32767 to 32767 for -1 to 1.
     */
    GALLIUM_VERTEX_FORMAT_SNORM16X4 = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_vertex_format gallium_vertex_format;
#else
typedef uint32_t gallium_vertex_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Texels outside of a texture.
 */
enum gallium_wrap
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The texture repeats.
     */
    GALLIUM_WRAP_REPEAT = 0,
    /**
     * The texels of the edge continue.
     */
    GALLIUM_WRAP_CLAMP_TO_EDGE = 1,
    /**
     * The texture repeats, mirrored every second time.
     */
    GALLIUM_WRAP_MIRROR_REPEAT = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum gallium_wrap gallium_wrap;
#else
typedef uint32_t gallium_wrap;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A driver in memory that C handed over.
 */
typedef struct gallium gallium;

/**
 * Shaders with the state and the values of draws.
 */
typedef struct gallium_material gallium_material;

/**
 * A mesh.
 */
typedef struct gallium_mesh gallium_mesh;

/**
 * A program's shaders with the state of draws.
 */
typedef struct gallium_pipeline gallium_pipeline;

/**
 * A pipeline that draws sprites.
 */
typedef struct gallium_sprites gallium_sprites;

/**
 * A picture that draws go to.
 */
typedef struct gallium_target gallium_target;

/**
 * A texture.
 */
typedef struct gallium_texture gallium_texture;

/**
 * A colour; each part is from 0 to 1.
 */
typedef struct gallium_color {
    /**
     * Red.
     */
    float red;
    /**
     * Green.
     */
    float green;
    /**
     * Blue.
     */
    float blue;
    /**
     * Alpha: 1 is opaque.
     */
    float alpha;
} gallium_color;

/**
 * A finished part of a picture.
 */
typedef struct gallium_tile {
    /**
     * First column on the display.
     */
    uint32_t x;
    /**
     * First row on the display, counted downwards.
     */
    uint32_t y;
    /**
     * Number of columns.
     */
    uint32_t width;
    /**
     * Number of rows.
     */
    uint32_t height;
    /**
     * The pixels, top row first.
     */
    const void *pixels;
    /**
     * Bytes from one row to the next.
     */
    size_t stride_bytes;
    /**
     * The target's constant of `gallium_format`.
     */
    uint32_t format;
} gallium_tile;

/**
 * A display that receives a picture tile by tile.
 */
typedef struct gallium_panel {
    /**
     * Passed to the functions as it is; may be null.
     */
    void *user;
    /**
     * Takes a tile. Each pixel of the picture comes exactly once, in tiles of any order. Returns 0,
     * or an error number from 1 on, which ends the picture.
     *
     * The pixels are in memory of `lend`, or in memory that the driver uses again after the call.
     */
    int32_t (*tile)(void *user, const struct gallium_tile *tile);
    /**
     * Lends memory of at least `bytes` bytes for the next tile, at an even address. With two
     * buffers alternately, one is sent while the next one is drawn. May be null, and may return
     * null: then the driver draws in memory of the `gallium`.
     */
    void *(*lend)(void *user, size_t bytes);
} gallium_panel;

/**
 * The place and format of an attribute in a vertex.
 */
typedef struct gallium_attribute {
    /**
     * Bytes from the begin of the vertex.
     */
    uint32_t offset;
    /**
     * A constant of `gallium_vertex_format`.
     */
    uint32_t format;
} gallium_attribute;

/**
 * The attributes of a vertex. Attributes that are 0 do not exist.
 */
typedef struct gallium_layout {
    /**
     * Bytes from one vertex to the next.
     */
    uint32_t stride;
    /**
     * The position in model space, which every vertex has.
     */
    struct gallium_attribute position;
    /**
     * The unit normal.
     */
    struct gallium_attribute normal;
    /**
     * The texture coordinate.
     */
    struct gallium_attribute uv;
    /**
     * The colour.
     */
    struct gallium_attribute color;
} gallium_layout;

/**
 * A mesh in memory that stays, usually flash: a list of triangles.
 */
typedef struct gallium_mesh_data {
    /**
     * The vertices.
     */
    const void *vertices;
    /**
     * Bytes of all vertices.
     */
    size_t vertex_bytes;
    /**
     * The attributes of a vertex.
     */
    struct gallium_layout layout;
    /**
     * The indices; null if triangles are made of the vertices in order.
     */
    const void *indices;
    /**
     * Bytes of all indices.
     */
    size_t index_bytes;
    /**
     * Bytes of an index: 1, 2 or 4; any value without indices.
     */
    uint32_t index_size;
} gallium_mesh_data;

/**
 * A texture in memory that stays, usually flash.
 */
typedef struct gallium_texture_data {
    /**
     * The levels one after the other, top row first; then the palette. A row begins with a byte.
     */
    const void *texels;
    /**
     * Bytes of all levels and of the palette.
     */
    size_t bytes;
    /**
     * A constant of `gallium_format`.
     */
    uint32_t format;
    /**
     * Width of the first level, in texels.
     */
    uint32_t width;
    /**
     * Height of the first level, in texels.
     */
    uint32_t height;
    /**
     * Number of levels, at least 1.
     */
    uint32_t levels;
    /**
     * 0 without a palette. Otherwise the texels are grey values that count as indices, there is one
     * level, 2, 4, 16 or 256 colours follow it, and this is their constant of `gallium_format`. Needs
     * an archive with the feature `textured`.
     */
    uint32_t palette;
} gallium_texture_data;

/**
 * A map of places: four columns, one after the other, as in OpenGL.
 */
typedef struct gallium_mat4 {
    /**
     * The elements: the first column is 0 to 3, the last one, where the origin goes, is 12 to 15.
     */
    float m[16];
} gallium_mat4;

/**
 * A place or a direction.
 */
typedef struct gallium_vec3 {
    /**
     * To the right.
     */
    float x;
    /**
     * Upwards.
     */
    float y;
    /**
     * Towards the viewer.
     */
    float z;
} gallium_vec3;

/**
 * A point light.
 */
typedef struct gallium_lamp {
    /**
     * The place in the world.
     */
    struct gallium_vec3 position;
    /**
     * The colour: red, green, blue. 1 lights a white face at full brightness at distance 0.
     */
    struct gallium_vec3 color;
    /**
     * The distance at which the light ends.
     */
    float reach;
} gallium_lamp;

/**
 * Fog: colours change to the fog's colour with the distance along the view.
 */
typedef struct gallium_fog {
    /**
     * The colour: red, green, blue.
     */
    struct gallium_vec3 color;
    /**
     * The share of a thing's own colour is `scale` times distance plus `offset`, from 0 to 1.
     */
    float scale;
    /**
     * See `scale`. No fog: scale 0, offset 1.
     */
    float offset;
} gallium_fog;

/**
 * The camera, light and fog of a picture. Make it with `gallium_view_of`.
 */
typedef struct gallium_view {
    /**
     * The map from the world to clip space: a projection times a view.
     */
    struct gallium_mat4 clip_from_world;
    /**
     * The direction to the sun, with the sun's brightness as length, usually 1.
     */
    struct gallium_vec3 sun;
    /**
     * The least brightness of a face in the sun's light, 0 to 1.
     */
    float ambient;
    /**
     * The lamp, which `gallium_material_lamplit` shows.
     */
    struct gallium_lamp lamp;
    /**
     * The fog, which `gallium_material_lit_fogged` and `gallium_material_lamplit` show.
     */
    struct gallium_fog fog;
} gallium_view;

/**
 * A compiled shader: `cargo xtask wgsl --c` and `cargo xtask tgsi --c` write constants of this type
 * into headers.
 */
typedef struct gallium_shader {
    /**
     * The words.
     */
    const uint16_t *words;
    /**
     * Their number.
     */
    size_t count;
} gallium_shader;

/**
 * A place or a direction on the picture.
 */
typedef struct gallium_vec2 {
    /**
     * To the right.
     */
    float x;
    /**
     * Upwards; downwards in pixels and in textures.
     */
    float y;
} gallium_vec2;

/**
 * A textured rectangle. Make it with `gallium_sprite_of`, `gallium_sprite_turned` or
 * `gallium_sprite_pixels`.
 */
typedef struct gallium_sprite {
    /**
     * The centre in clip space.
     */
    struct gallium_vec2 center;
    /**
     * From the centre to the middle of the right edge.
     */
    struct gallium_vec2 right;
    /**
     * From the centre to the middle of the upper edge.
     */
    struct gallium_vec2 up;
    /**
     * The upper left corner of the part of the texture, 0 to 1.
     */
    struct gallium_vec2 uv;
    /**
     * The size of that part. A negative size mirrors it.
     */
    struct gallium_vec2 uv_size;
    /**
     * The depth, -1 (nearest) to 1.
     */
    float depth;
    /**
     * The factor of the texels for `gallium_sprites_create_tinted`.
     */
    struct gallium_color color;
} gallium_sprite;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the text of an error: what happened, then what to do. The text is never null and stays.
 */
const char *gallium_error_text(int32_t error);

/**
 * Writes the last error of this `gallium` to `text`, which has `bytes` bytes: as much as fits, and a
 * 0 at the end. The text is empty if no call failed.
 *
 * With the feature `details` of the archive, an error of the driver comes with its reason and its
 * numbers, and the program links code that formats text. Without, the text is that of the code.
 */
gallium_error gallium_error_details(const struct gallium *gallium,
                                    char *text,
                                    size_t bytes);

/**
 * Creates a driver in `bytes` bytes of memory, of any alignment; `scene_bytes` of them are the
 * buffer for the triangles of one picture. Nothing else may use the memory as long as the driver
 * is used.
 *
 * Call it with the same memory again to begin from the start: then the older objects are gone.
 */
gallium_error gallium_create(void *memory,
                             size_t bytes,
                             size_t scene_bytes,
                             struct gallium **gallium);

/**
 * Writes the largest number of bytes of the memory that were in use at one time: the number that
 * `gallium_create` needs for this program, with a few hundred bytes for gaps.
 */
gallium_error gallium_memory_peak(const struct gallium *gallium, size_t *peak);

/**
 * Creates a target of `width` times `height` pixels that has no memory: `gallium_present` draws it
 * tile by tile. `format` is a constant of `gallium_format`, `depth` one of `gallium_depth`.
 */
gallium_error gallium_target_create(struct gallium *gallium,
                                    uint32_t format,
                                    uint32_t depth,
                                    uint32_t width,
                                    uint32_t height,
                                    struct gallium_target **target);

/**
 * Creates a target in memory of the `gallium`, and the texture that shows it. `filter` is a
 * constant of `gallium_filter`, `wrap` one of `gallium_wrap`.
 *
 * Needs an archive with the feature `textured` or `any`.
 */
gallium_error gallium_target_create_texture(struct gallium *gallium,
                                            uint32_t format,
                                            uint32_t depth,
                                            uint32_t width,
                                            uint32_t height,
                                            uint32_t filter,
                                            uint32_t wrap,
                                            struct gallium_target **target,
                                            struct gallium_texture **texture);

/**
 * Begins a picture: the next draws go to the target, which is filled with a colour; depth is the
 * farthest.
 */
gallium_error gallium_begin(struct gallium *gallium,
                            const struct gallium_target *target,
                            struct gallium_color color);

/**
 * Continues a picture: the next draws go to the target, on top of its pixels.
 */
gallium_error gallium_continue(struct gallium *gallium, const struct gallium_target *target);

/**
 * Draws the picture and sends it to a display, tile by tile. Every pixel was sent when it returns.
 */
gallium_error gallium_present(struct gallium *gallium,
                              const struct gallium_target *target,
                              const struct gallium_panel *panel);

/**
 * Creates a mesh over its vertices and indices, which are not copied.
 */
gallium_error gallium_mesh_create(struct gallium *gallium,
                                  const struct gallium_mesh_data *data,
                                  struct gallium_mesh **mesh);

/**
 * Creates the cube from -1 to 1 in all axes, with normals and texture coordinates.
 */
gallium_error gallium_mesh_cube(struct gallium *gallium, struct gallium_mesh **mesh);

/**
 * Creates the square from -1 to 1 in x and y, which faces z, with normals and texture coordinates.
 */
gallium_error gallium_mesh_square(struct gallium *gallium, struct gallium_mesh **mesh);

/**
 * Creates a plane from -1 to 1 in x and z, which faces y, of `columns` times `rows` cells.
 *
 * Vertices and indices of this mesh and of the next ones are in memory of the `gallium`: 32 bytes
 * for each of (columns + 1) times (rows + 1) vertices, and 12 bytes per cell.
 */
gallium_error gallium_mesh_plane(struct gallium *gallium,
                                 uint16_t columns,
                                 uint16_t rows,
                                 struct gallium_mesh **mesh);

/**
 * Creates a sphere of radius 1: columns about y, rows from the upper pole down.
 */
gallium_error gallium_mesh_sphere(struct gallium *gallium,
                                  uint16_t columns,
                                  uint16_t rows,
                                  struct gallium_mesh **mesh);

/**
 * Creates the side of a cylinder of radius 1, from -1 to 1 in y. It has no caps.
 */
gallium_error gallium_mesh_cylinder(struct gallium *gallium,
                                    uint16_t columns,
                                    uint16_t rows,
                                    struct gallium_mesh **mesh);

/**
 * Creates a torus about y: the ring has radius 1, its tube the radius `tube`.
 */
gallium_error gallium_mesh_torus(struct gallium *gallium,
                                 uint16_t columns,
                                 uint16_t rows,
                                 float tube,
                                 struct gallium_mesh **mesh);

/**
 * Creates a texture over its texels, which are not copied. `filter` is a constant of
 * `gallium_filter`, `wrap` one of `gallium_wrap`.
 */
gallium_error gallium_texture_create(struct gallium *gallium,
                                     const struct gallium_texture_data *data,
                                     uint32_t filter,
                                     uint32_t wrap,
                                     struct gallium_texture **texture);

/**
 * Creates a material of one colour without light, for meshes with the layout of `mesh`.
 *
 * `surface` is a constant of `gallium_surface`, in this function and the next ones.
 */
gallium_error gallium_material_plain(struct gallium *gallium,
                                     const struct gallium_mesh *mesh,
                                     uint32_t surface,
                                     struct gallium_color color,
                                     struct gallium_material **material);

/**
 * Creates a material that shows the colours of the vertices.
 */
gallium_error gallium_material_colored(struct gallium *gallium,
                                       const struct gallium_mesh *mesh,
                                       uint32_t surface,
                                       struct gallium_material **material);

/**
 * Creates a material of one colour in the light of the sun. The mesh has normals.
 */
gallium_error gallium_material_lit(struct gallium *gallium,
                                   const struct gallium_mesh *mesh,
                                   uint32_t surface,
                                   struct gallium_color color,
                                   struct gallium_material **material);

/**
 * Creates a material that shows the colours of the vertices in the light of the sun.
 */
gallium_error gallium_material_colored_lit(struct gallium *gallium,
                                           const struct gallium_mesh *mesh,
                                           uint32_t surface,
                                           struct gallium_material **material);

/**
 * Creates a material of one colour in the light of the sun, in fog.
 */
gallium_error gallium_material_lit_fogged(struct gallium *gallium,
                                          const struct gallium_mesh *mesh,
                                          uint32_t surface,
                                          struct gallium_color color,
                                          struct gallium_material **material);

/**
 * Creates a material of one colour in the light of the sun and the lamp, in fog.
 */
gallium_error gallium_material_lamplit(struct gallium *gallium,
                                       const struct gallium_mesh *mesh,
                                       uint32_t surface,
                                       struct gallium_color color,
                                       struct gallium_material **material);

/**
 * Creates a material that shows a texture. The mesh has texture coordinates.
 */
gallium_error gallium_material_textured(struct gallium *gallium,
                                        const struct gallium_mesh *mesh,
                                        uint32_t surface,
                                        const struct gallium_texture *texture,
                                        struct gallium_material **material);

/**
 * Creates a material that shows a texture times a colour.
 */
gallium_error gallium_material_textured_tinted(struct gallium *gallium,
                                               const struct gallium_mesh *mesh,
                                               uint32_t surface,
                                               const struct gallium_texture *texture,
                                               struct gallium_color color,
                                               struct gallium_material **material);

/**
 * Creates a material that shows a texture times a colour in the light of the sun.
 */
gallium_error gallium_material_textured_lit(struct gallium *gallium,
                                            const struct gallium_mesh *mesh,
                                            uint32_t surface,
                                            const struct gallium_texture *texture,
                                            struct gallium_color color,
                                            struct gallium_material **material);

/**
 * Creates a material that shows a texture in light without a product per pixel: the texture has
 * sixteen brightnesses, one below the other, and each vertex selects one by the light of the sun.
 */
gallium_error gallium_material_shaded(struct gallium *gallium,
                                      const struct gallium_mesh *mesh,
                                      uint32_t surface,
                                      const struct gallium_texture *texture,
                                      struct gallium_material **material);

/**
 * Changes the colour of a material for the next draws.
 */
gallium_error gallium_material_set_color(struct gallium *gallium,
                                         struct gallium_material *material,
                                         struct gallium_color color);

/**
 * Changes the texture of a material for the next draws.
 */
gallium_error gallium_material_set_texture(struct gallium *gallium,
                                           struct gallium_material *material,
                                           const struct gallium_texture *texture);

/**
 * Draws a mesh; `model` is the map from the mesh to the world. The mesh has the layout that the
 * material was made for.
 */
gallium_error gallium_draw(struct gallium *gallium,
                           const struct gallium_material *material,
                           const struct gallium_mesh *mesh,
                           const struct gallium_view *view,
                           const struct gallium_mat4 *model);

/**
 * Creates a pipeline of two shaders, for meshes with the layout of `mesh`. `cargo xtask wgsl --c`
 * and `cargo xtask tgsi --c` write shaders into headers.
 *
 * The vertex shader reads the position at location 0, the normal at 1, the texture coordinate at 2
 * and the colour at 3; in TGSI these are `IN[0]` to `IN[3]`. `surface` is a constant of
 * `gallium_surface`.
 *
 * Needs an archive with the feature `shaders`, and what the fragment shader needs: `mesh` for
 * interpolated colours or one texture, `textured` for products of these, `any` for any other.
 */
gallium_error gallium_pipeline_create(struct gallium *gallium,
                                      const struct gallium_mesh *mesh,
                                      uint32_t surface,
                                      const struct gallium_shader *vertex,
                                      const struct gallium_shader *fragment,
                                      struct gallium_pipeline **pipeline);

/**
 * Draws a mesh, which has the layout that the pipeline was made for.
 *
 * `constants` are the uniform buffer of both shaders, in TGSI `CONST[0]` and on; the headers of
 * shaders have structs for them. They are copied. Null, with 0 bytes, for shaders without one.
 * `texture` may be null for a fragment shader that samples none.
 */
gallium_error gallium_pipeline_draw(struct gallium *gallium,
                                    const struct gallium_pipeline *pipeline,
                                    const struct gallium_mesh *mesh,
                                    const struct gallium_texture *texture,
                                    const void *constants,
                                    size_t constant_bytes);

/**
 * Creates a pipeline that shows rectangles of texels. `surface` is a constant of
 * `gallium_surface`; for alpha use `GALLIUM_SURFACE_OVERLAY`.
 *
 * Needs an archive with the feature `textured`, `grey` or `any`.
 */
gallium_error gallium_sprites_create(struct gallium *gallium,
                                     uint32_t surface,
                                     struct gallium_sprites **sprites);

/**
 * Creates a pipeline that shows rectangles of texels times the colour of the sprite.
 *
 * Needs an archive with the feature `textured`, `grey` or `any`.
 */
gallium_error gallium_sprites_create_tinted(struct gallium *gallium,
                                            uint32_t surface,
                                            struct gallium_sprites **sprites);

/**
 * Draws `count` sprites of a texture, the first one first. They are copied.
 */
gallium_error gallium_sprites_draw(struct gallium *gallium,
                                   const struct gallium_sprites *sprites,
                                   const struct gallium_texture *texture,
                                   const struct gallium_sprite *list,
                                   size_t count);

/**
 * Returns an upright sprite of the whole texture, by its centre and by half its width and half its
 * height in clip space, where the picture is from -1 to 1, y up. A negative half width mirrors it.
 */
struct gallium_sprite gallium_sprite_of(struct gallium_vec2 center, struct gallium_vec2 half);

/**
 * Returns a sprite turned about its centre, counter-clockwise by an angle in radians, as it appears
 * on a square picture.
 */
struct gallium_sprite gallium_sprite_turned(struct gallium_vec2 center,
                                            struct gallium_vec2 half,
                                            float angle);

/**
 * Returns the upright sprite of a rectangle in pixels, x right and y down, on a picture of `size`
 * pixels.
 */
struct gallium_sprite gallium_sprite_pixels(struct gallium_vec2 corner,
                                            struct gallium_vec2 sides,
                                            struct gallium_vec2 size);

/**
 * Returns the map that changes nothing.
 */
struct gallium_mat4 gallium_identity(void);

/**
 * Returns the map `a` after the map `b`.
 */
struct gallium_mat4 gallium_multiply(struct gallium_mat4 a, struct gallium_mat4 b);

/**
 * Returns the map that moves places.
 */
struct gallium_mat4 gallium_translation(struct gallium_vec3 by);

/**
 * Returns the map that scales places. Lights need the same factor in all axes.
 */
struct gallium_mat4 gallium_scaling(struct gallium_vec3 by);

/**
 * Returns the rotation about the axis x, counter-clockwise, in radians.
 */
struct gallium_mat4 gallium_rotation_x(float angle);

/**
 * Returns the rotation about the axis y, counter-clockwise, in radians.
 */
struct gallium_mat4 gallium_rotation_y(float angle);

/**
 * Returns the rotation about the axis z, counter-clockwise, in radians.
 */
struct gallium_mat4 gallium_rotation_z(float angle);

/**
 * Returns the rotation about an axis of any length but 0, counter-clockwise, in radians.
 */
struct gallium_mat4 gallium_rotation(struct gallium_vec3 axis, float angle);

/**
 * Returns the view of a camera at `eye` that looks at `center`, with y upwards. The two differ in
 * x or z.
 */
struct gallium_mat4 gallium_look_at(struct gallium_vec3 eye, struct gallium_vec3 center);

/**
 * Returns a perspective projection: the vertical field of view in radians, width over height, and
 * the distances of the near and the far plane, both greater than 0.
 */
struct gallium_mat4 gallium_perspective(float fov_y, float aspect, float near, float far);

/**
 * Returns a perspective projection without trigonometry: half the width and half the height of the
 * near plane, and the distances of the near and the far plane.
 */
struct gallium_mat4 gallium_frustum(float half_width, float half_height, float near, float far);

/**
 * Returns a parallel projection: half the width and half the height of the view, and the distances
 * of the near and the far plane.
 */
struct gallium_mat4 gallium_orthographic(float half_width,
                                         float half_height,
                                         float near,
                                         float far);

/**
 * Returns the view of a camera, a projection times a view, with a sun above the viewer's right
 * shoulder, no lamp and no fog.
 */
struct gallium_view gallium_view_of(struct gallium_mat4 clip_from_world);

/**
 * Returns fog that begins at the distance `near` and hides everything from `far` on.
 */
struct gallium_fog gallium_fog_between(struct gallium_vec3 color, float near, float far);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GALLIUM_H */
