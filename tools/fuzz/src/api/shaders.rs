//! Shaders for sequences of calls: small shaders that reach much of the driver.

use pipe_core::{PrimType, ShaderType};

/// Passes a position and a colour.
pub(super) const PASS: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END";

/// Multiplies a texel by the colour.
pub(super) const TEXTURED: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0], TEMP[0], IN[0]
END";

/// Shader texts, with the stage to create them for. Some texts are of another stage.
pub(crate) const SHADERS: [(ShaderType, &str); 26] = [
    (ShaderType::Vertex, PASS),
    (ShaderType::Fragment, TEXTURED),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND",
    ),
    (ShaderType::Fragment, "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND"),
    (
        ShaderType::Vertex,
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], PSIZE\n\
         DCL OUT[3], CLIPDIST\nDCL SV[0], INSTANCEID\nDCL SV[1], VERTEXID\nDCL TEMP[0]\n\
         I2F TEMP[0].x, SV[0].xxxx\nI2F TEMP[0].y, SV[1].xxxx\nADD OUT[0], IN[0], TEMP[0].xyxx\n\
         MOV OUT[1], IN[1]\nMOV OUT[2].x, TEMP[0].yyyy\nMOV OUT[3], IN[1]\nEND",
    ),
    (
        ShaderType::Vertex,
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], VIEWPORT_INDEX\n\
         DCL OUT[3], LAYER\nDCL OUT[4], EDGEFLAG\nDCL ADDR[0]\nDCL CONST[0..7]\nARL ADDR[0].x, IN[0].xxxx\n\
         MOV OUT[0], IN[0]\nMOV OUT[1], CONST[ADDR[0].x]\nMOV OUT[2], IN[0]\nMOV OUT[3], IN[0]\n\
         MOV OUT[4], IN[0]\nEND",
    ),
    (
        ShaderType::Vertex,
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
         MOV OUT[0], IN[0]\nIMM[0] FLT32 { 0.0, 1.0, 2.0, 0.5 }\nTXL OUT[1], IMM[0].xxxx, SAMP[0], 2D\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL IN[1], POSITION, LINEAR\nDCL IN[2], FACE, CONSTANT\n\
         DCL OUT[0], COLOR\nDCL OUT[1], POSITION\nDCL OUT[2], STENCIL\nKILL_IF -IN[0].xxxx\nMOV OUT[0], IN[0]\n\
         MOV OUT[1].z, IN[1].zzzz\nMOV OUT[2].y, IN[1].xxxx\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], PCOORD, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
         DDX TEMP[0], IN[0]\nDDY TEMP[0].xy, IN[1]\nRCP TEMP[0].z, TEMP[0].xxxx\nMOV OUT[0], TEMP[0]\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\nIMM[0] FLT32 { 0.0, 1.0, 9.0, 0.1 }\n\
         MOV TEMP[0], IMM[0].xxxx\nBGNLOOP\nSGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz\nIF TEMP[1].xxxx\nBRK\nENDIF\n\
         ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\nMUL OUT[0], TEMP[0].xxxx, IN[0]\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL TEMP[0]\n\
         FBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], IN[0]\nMOV OUT[1], TEMP[0]\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], CUBE, FLOAT\n\
         TEX OUT[0], IN[0], SAMP[0], CUBE\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 3D, FLOAT\n\
         TXB OUT[0], IN[0], SAMP[0], 3D\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], SHADOW2D, FLOAT\n\
         TXP OUT[0], IN[0], SAMP[0], SHADOW2D\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D_ARRAY, UINT\nDCL TEMP[0]\n\
         F2I TEMP[0], IN[0]\nTXF OUT[0], TEMP[0], SAMP[0], 2D_ARRAY\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
         IMM[0] INT32 { 0, 1, -8, 7 }\nTG4 OUT[0], IN[0], IMM[0].xxxx, SAMP[0], 2D, IMM[0].zwz\nEND",
    ),
    (
        ShaderType::Fragment,
        "FRAG\nDCL IN[0], COLOR, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\nDCL TEMP[0]\n\
         F2I TEMP[0], IN[0]\nTXF OUT[0], TEMP[0], SAMP[0], BUFFER\nEND",
    ),
    (
        ShaderType::Geometry,
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n\
         PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] INT32 { 0, 0, 0, 0 }\n\
         MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND",
    ),
    (ShaderType::Geometry, LAYERS),
    (ShaderType::Geometry, STREAMS),
    (ShaderType::Geometry, LOOP),
    (ShaderType::TessCtrl, LEVELS),
    (ShaderType::TessEval, TRIANGLES),
    (ShaderType::TessEval, QUADS),
    (ShaderType::TessEval, ISOLINES),
    (ShaderType::Fragment, BINDLESS),
];

/// Samples, loads and changes the texture or image with the handle in a constant.
const BINDLESS: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..1]
DCL TEMP[0..1]
IMM[0] UINT32 { 0, 1, 2, 3 }
TEX TEMP[0], IN[0], CONST[0], 2D
LOAD TEMP[1], CONST[0], IMM[0].xxxx, 2D, PIPE_FORMAT_R8G8B8A8_UNORM
STORE CONST[0], IMM[0].yxxx, TEMP[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
ATOMUADD TEMP[1].x, CONST[0], IMM[0].xxxx, IMM[0].yyyy, 2D, PIPE_FORMAT_R32_UINT
ADD OUT[0], TEMP[0], TEMP[1]
END";

/// Emits its triangle to three layers. The number of the copy selects the viewport.
const LAYERS: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY GS_INVOCATIONS 3
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL SV[0], INVOCATIONID
DCL SV[1], PRIMID
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], LAYER
DCL OUT[3], VIEWPORT_INDEX
IMM[0] UINT32 { 0, 15, 0, 0 }
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
MOV OUT[2].x, SV[0].xxxx
AND OUT[3].x, SV[1].xxxx, IMM[0].yyyy
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[2][1]
MOV OUT[2].x, SV[0].xxxx
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
MOV OUT[1], IN[2][1]
MOV OUT[3].x, SV[0].xxxx
EMIT IMM[0].xxxx
END";

/// Emits its point to three streams.
const STREAMS: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], PSIZE
IMM[0] UINT32 { 0, 1, 3, 0 }
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
MOV OUT[2], IN[0][1]
EMIT IMM[0].xxxx
MOV OUT[0], IN[0][1]
EMIT IMM[0].yyyy
MOV OUT[1], IN[0][0]
EMIT IMM[0].zzzz
END";

/// Emits vertices and ends strips. A constant gives the number of vertices and may exceed the
/// maximum.
const LOOP: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES_ADJACENCY
PROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 64
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL CONST[0]
DCL TEMP[0..1]
DCL ADDR[0..1]
IMM[0] UINT32 { 0, 1, 80, 3 }
MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
UIF TEMP[1].xxxx
BRK
ENDIF
USEQ TEMP[1].x, TEMP[0].xxxx, CONST[0].xxxx
UIF TEMP[1].xxxx
ENDPRIM IMM[0].xxxx
ENDIF
AND TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
UARL ADDR[1].x, TEMP[1].xxxx
MOV OUT[0], IN[ADDR[1].x][0]
MOV OUT[1], IN[ADDR[1].x][1]
EMIT IMM[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
END";

/// Passes four vertices of a patch. The levels are eight times the colours of two of them.
const LEVELS: &str = "TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL SV[0], INVOCATIONID
DCL OUT[][0], POSITION
DCL OUT[][1], COLOR
DCL OUT[2], TESSOUTER
DCL OUT[3], TESSINNER
DCL OUT[4], PATCH
DCL ADDR[0..1]
IMM[0] FLT32 { 8.0, 8.0, 8.0, 8.0 }
UARL ADDR[1].x, SV[0].xxxx
MOV OUT[ADDR[1].x][0], IN[ADDR[1].x][0]
MOV OUT[ADDR[1].x][1], IN[ADDR[1].x][1]
BARRIER
MUL OUT[2], OUT[0][1], IMM[0]
MUL OUT[3], OUT[1][1], IMM[0]
MOV OUT[4], IN[0][0]
END";

/// Makes the text of a tessellation evaluation shader for a domain, with additional properties.
macro_rules! evaluation {
    ($domain:literal, $properties:literal) => {
        concat!(
            "TESS_EVAL\nPROPERTY TES_PRIM_MODE ",
            $domain,
            "\n",
            $properties,
            "DCL IN[][0], POSITION\nDCL IN[][1], COLOR\nDCL IN[2], PATCH\nDCL SV[0], TESSCOORD\n\
             DCL SV[1], TESSOUTER\nDCL SV[2], TESSINNER\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
             DCL TEMP[0]\nMUL TEMP[0], IN[0][0], SV[0].xxxx\n\
             MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]\n\
             MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]\nADD TEMP[0], IN[3][1], SV[1]\n\
             MAD OUT[1], IN[2], SV[2], TEMP[0]\nEND"
        )
    };
}

/// Triangles with fractional odd spacing.
const TRIANGLES: &str =
    evaluation!("4", "PROPERTY TES_SPACING 0\nPROPERTY TES_VERTEX_ORDER_CW 1\n");

/// Quads in point mode.
const QUADS: &str = evaluation!("7", "PROPERTY TES_SPACING 1\nPROPERTY TES_POINT_MODE 1\n");

/// Lines with equal spacing.
const ISOLINES: &str = evaluation!("1", "PROPERTY TES_SPACING 2\n");

/// Stages that read the outputs of [`PASS`], each with the primitives that the first stage reads.
pub(crate) const CHAINS: [(PrimType, &[(ShaderType, &str)]); 7] = [
    (PrimType::TriangleStrip, &[(ShaderType::Geometry, LAYERS)]),
    (PrimType::Points, &[(ShaderType::Geometry, STREAMS)]),
    (PrimType::LineStripAdjacency, &[(ShaderType::Geometry, LOOP)]),
    (PrimType::Patches, &[(ShaderType::TessCtrl, LEVELS), (ShaderType::TessEval, TRIANGLES)]),
    (PrimType::Patches, &[(ShaderType::TessCtrl, LEVELS), (ShaderType::TessEval, ISOLINES)]),
    (PrimType::Patches, &[(ShaderType::TessEval, TRIANGLES), (ShaderType::Geometry, LAYERS)]),
    (PrimType::Patches, &[(ShaderType::TessEval, QUADS), (ShaderType::Geometry, STREAMS)]),
];
