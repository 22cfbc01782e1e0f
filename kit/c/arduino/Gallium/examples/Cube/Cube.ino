// Draws a lit cube that turns, on a panel of 240 x 240 pixels.

#include <gallium.h>

// Memory for the driver: scene buffer, one tile of colour and depth, objects.
static uint8_t memory[28 * 1024];

static gallium *device;
static gallium_target *target;
static gallium_mesh *mesh;
static gallium_material *orange;

// Takes a part of the picture. Replace the body by the transmission to your display: set the window, then
// send the rows, each with the upper byte of a pixel first.
static int32_t take(void *, const gallium_tile *tile) {
    for (uint32_t y = 0; y < tile->height; y++) {
        const uint16_t *row =
            (const uint16_t *)((const uint8_t *)tile->pixels + y * tile->stride_bytes);
        (void)row;
    }
    return 0;
}

// Prints an error, and stops.
static void check(gallium_error error) {
    if (error != GALLIUM_ERROR_NONE) {
        Serial.println(gallium_error_text(error));
        for (;;) {
        }
    }
}

void setup() {
    Serial.begin(115200);
    check(gallium_create(memory, sizeof memory, 4096, &device));
    check(gallium_target_create(device, GALLIUM_FORMAT_RGB565, GALLIUM_DEPTH_BITS16, 240, 240, &target));
    check(gallium_mesh_cube(device, &mesh));
    check(gallium_material_lit(device, mesh, GALLIUM_SURFACE_SOLID, {1.0f, 0.5f, 0.1f, 1.0f}, &orange));
}

void loop() {
    static float angle = 0.0f;
    gallium_panel panel = {};
    panel.tile = take;
    gallium_mat4 lens = gallium_frustum(1.0f, 1.0f, 2.0f, 8.0f);
    gallium_mat4 eye = gallium_look_at({0.0f, 2.0f, 4.0f}, {0.0f, 0.0f, 0.0f});
    gallium_view view = gallium_view_of(gallium_multiply(lens, eye));
    gallium_mat4 model = gallium_rotation_y(angle);
    check(gallium_begin(device, target, {0.0f, 0.0f, 0.2f, 1.0f}));
    check(gallium_draw(device, orange, mesh, &view, &model));
    check(gallium_present(device, target, &panel));
    angle += 0.05f;
}
