//! Native bodies of random programs: `GALLIUM_RANDOM_SEED=n cargo test --test random many`.

mod common;
#[path = "common/random.rs"]
mod random;

use common::Registers;
use gallium_tgsi::exec::native::Native;
use gallium_tgsi::program::Program;
use random::{inputs, run_width, same};
use tgsi_macros::tgsi;

tgsi! {
    crate = ::gallium_tgsi;
    native;
    static SEED_158: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0..19], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..9]
    DCL TEMP[10..13], ARRAY(1), LOCAL
    DCL TEMP[14..23]
    DCL ADDR[0]
    IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}
    IMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}
    IMM[2] INT32 {0, 1, 2, -1}
    IMM[3] INT32 {31, -7, 3, 5}
    IMM[4] FLT64 {1.5, -0.375}
    IMM[5] INT64 {-5, 4294967299}
    I64SHR TEMP[23].xy, TEMP[23].xyzw, TEMP[6].wwwy
    AND TEMP[9].x, TEMP[7].yyyz, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    I2F TEMP[0].yzw, TEMP[5].zzwz
    ADD TEMP[4].xy, -CONST[1].wxwy, -TEMP[4].zwzz
    BRK
    CASE IMM[2].yyyy
    F2I64 TEMP[23], TEMP[13].yxwz
    U2F TEMP[0].y, TEMP[9].yzwy
    CASE IMM[2].zzzz
    DFRACEXP_PRECISE TEMP[19].xy, TEMP[7].y, IMM[4].zwxy
    BRK
    ENDSWITCH
    U642D TEMP[19], IMM[5].zwxy
    DMUL_PRECISE TEMP[18].xy, TEMP[19].xyzw, TEMP[19].xyxy
    DSLT TEMP[8].xy, TEMP[18].zwxy, TEMP[20].xyzw
    FRC TEMP[2], -|CONST[1].wzyw|
    DSLT TEMP[9].xz, IMM[4].xyxy, TEMP[20].zwxy
    LG2 TEMP[1].yzw, TEMP[ADDR[0].x+10](1).yzxy
    COS_PRECISE TEMP[0].x, CONST[3].xxxz
    IBFE TEMP[6].xz, CONST[6].ywwy, TEMP[8].yzzy, IMM[2].xzxw
    ARL TEMP[8].xz, -|TEMP[0].wwwx|
    MOV OUT[0], TEMP[0]
    MOV OUT[1], TEMP[1]
    MOV OUT[2], TEMP[2]
    MOV OUT[3], TEMP[3]
    MOV OUT[4], TEMP[4]
    MOV OUT[5], TEMP[5]
    MOV OUT[6], TEMP[6]
    MOV OUT[7], TEMP[7]
    MOV OUT[8], TEMP[8]
    MOV OUT[9], TEMP[9]
    MOV OUT[10], TEMP[10]
    MOV OUT[11], TEMP[11]
    MOV OUT[12], TEMP[12]
    MOV OUT[13], TEMP[13]
    MOV OUT[14], TEMP[18]
    MOV OUT[15], TEMP[19]
    MOV OUT[16], TEMP[20]
    MOV OUT[17], TEMP[21]
    MOV OUT[18], TEMP[22]
    MOV OUT[19], TEMP[23]
    END
    BGNSUB
    U64SGE TEMP[5].zw, TEMP[22].xyxy, TEMP[21].zwxy
    DFRACEXP TEMP[19], TEMP[6].zw, TEMP[20].xyxy
    USNE TEMP[5].y, -TEMP[8].yxyx, TEMP[9].wwzz
    KILL_IF |TEMP[13].zxxz|
    ENDSUB
    BGNSUB
    FMA_SAT TEMP[ADDR[0].x+10](1).xy, -|IMM[0].zyzx|, TEMP[13].ywyx, TEMP[1].wyxz
    FSEQ TEMP[8].y, -TEMP[3].wwwy, -|CONST[0].yzyy|
    MOV TEMP[8], TEMP[9]
    MOV TEMP[17].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[17].y, TEMP[17].xxxx, IMM[3].wwww
    UIF TEMP[17].yyyy
    BRK
    ENDIF
    UADD TEMP[17].x, TEMP[17].xxxx, IMM[2].yyyy
    UCMP TEMP[3].x, CONST[6].zzxx, CONST[0].zwxw, -TEMP[2].yzzx
    SHL TEMP[9], CONST[ADDR[0].x+4].xxwz, TEMP[7].xyzy
    UIF CONST[6].wyyy
    DADD TEMP[20], TEMP[19].zwxy, TEMP[19].xyxy
    ENDIF
    I64NEG TEMP[22].zw, IMM[5].zwzw
    ENDLOOP
    UIF CONST[ADDR[0].x+6].wxyy
    MAD TEMP[4].x, |CONST[3].yxwy|, -|TEMP[0].xwyz|, CONST[2].xxzz
    UMAD TEMP[6].xy, TEMP[9].wwyy, TEMP[8].wzzx, IMM[2].wwyz
    I64SHR TEMP[22].zw, IMM[5].xyxy, TEMP[9].yxxy
    ELSE
    UBFE TEMP[8], -TEMP[5].wwzx, TEMP[9].yzxz, -TEMP[9].wwyy
    ENDIF
    UIF TEMP[7].xxyx
    TEX TEMP[2], |CONST[0].wwzw|, SAMP[0], 2D
    UIF TEMP[7].zywy
    FSEQ TEMP[5].zw, IMM[0].wzww, -|IMM[1].xyzy|
    AND ADDR[0].x, TEMP[6].yyyw, IMM[3].zzzz
    DROUND TEMP[20].xy, TEMP[18].zwxy
    ELSE
    U64MAX TEMP[22], IMM[5].zwzw, IMM[5].xyxy
    D2U64 TEMP[22].xy, TEMP[19].zwxy
    ENDIF
    ELSE
    USNE TEMP[9].zw, IMM[2].zzxy, IN[1].yxyy
    D2U64 TEMP[23], TEMP[18].zwzw
    FSEQ TEMP[7].x, TEMP[3].xxxw, -TEMP[ADDR[0].x+11](1).wxzy
    ENDIF
    ENDSUB
}

tgsi! {
    crate = ::gallium_tgsi;
    native(4);
    static SEED_138: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0..19], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..9]
    DCL TEMP[10..13], ARRAY(1), LOCAL
    DCL TEMP[14..23]
    DCL ADDR[0]
    IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}
    IMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}
    IMM[2] INT32 {0, 1, 2, -1}
    IMM[3] INT32 {31, -7, 3, 5}
    IMM[4] FLT64 {1.5, -0.375}
    IMM[5] INT64 {-5, 4294967299}
    AND TEMP[9].x, IN[1].xwzx, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    DEFAULT
    CAL :89
    BRK
    CASE IMM[2].yyyy
    UCMP TEMP[0].yzw, TEMP[8].yzww, TEMP[10].yxzx, -|TEMP[3].xwzw|
    LDEXP TEMP[1].yzw, TEMP[0].zzyx, -TEMP[8].wwwy
    MAD TEMP[3], IN[0].zzwx, -TEMP[1].ywxy, TEMP[1].xwwx
    BRK
    CASE IMM[2].zzzz
    F2I64 TEMP[23], -TEMP[3].zwyz
    ENDSWITCH
    DSSG_PRECISE TEMP[18], TEMP[20].xyzw
    MUL TEMP[ADDR[0].x+10](1).xz, TEMP[4].wwyy, -|TEMP[3].zwzw|
    AND TEMP[9].x, TEMP[9].zyzz, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    IDIV TEMP[8].xz, TEMP[5].yzxz, TEMP[9].ywxz
    AND ADDR[0].x, TEMP[5].xxyy, IMM[3].zzzz
    BRK
    CASE IMM[2].yyyy
    RET
    MOV TEMP[14].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[14].y, TEMP[14].xxxx, IMM[3].wwww
    UIF TEMP[14].yyyy
    BRK
    ENDIF
    UADD TEMP[14].x, TEMP[14].xxxx, IMM[2].yyyy
    FLR_PRECISE TEMP[1].zw, TEMP[4].xxwz
    MOV TEMP[15].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[15].y, TEMP[15].xxxx, IMM[3].wwww
    UIF TEMP[15].yyyy
    BRK
    ENDIF
    UADD TEMP[15].x, TEMP[15].xxxx, IMM[2].yyyy
    ADD TEMP[3].xz, |CONST[2].ywww|, |IN[0].yzzx|
    MAD TEMP[2].yzw, TEMP[4].xxxy, TEMP[3].wywz, CONST[3].xzww
    ENDLOOP
    ENDLOOP
    BRK
    DEFAULT
    SIN_SAT_PRECISE TEMP[1].yzw, -|TEMP[12].yzww|
    MOV TEMP[8], TEMP[9]
    AND ADDR[0].x, TEMP[9].ywxz, IMM[3].zzzz
    BRK
    ENDSWITCH
    IMIN TEMP[5].y, TEMP[9].wwwx, CONST[5].yzxw
    POW TEMP[1].xy, CONST[0].zwzy, TEMP[3].zwwx
    DP4_PRECISE TEMP[11].zw, -|TEMP[11].zyxx|, TEMP[4].xyxy
    DP3_PRECISE TEMP[10].y, IMM[1].wxzz, TEMP[4].ywxx
    NOT TEMP[6].yzw, TEMP[9].yxyx
    U64MIN TEMP[23].xy, TEMP[23].xyxy, IMM[5].xyxy
    IF -TEMP[0].xwwx
    USHR TEMP[6].yzw, CONST[ADDR[0].x+4].wxxw, IMM[2].xyxy
    IMUL_HI TEMP[8].xy, CONST[ADDR[0].x+8].yzxz, TEMP[8].xwyx
    DP2_PRECISE TEMP[3].zw, TEMP[0].ywyw, -TEMP[3].wywy
    ELSE
    UP2H TEMP[1].xz, IN[1].wwxz
    I64SHR TEMP[21], TEMP[23].zwxy, -CONST[ADDR[0].x+6].yzxy
    DTRUNC TEMP[20].xy, IMM[4].zwxy
    DADD_SAT TEMP[20].zw, TEMP[19].zwzw, TEMP[20].zwxy
    ENDIF
    DDIV TEMP[18].xy, TEMP[19].xyzw, TEMP[18].zwxy
    UARL TEMP[9].xy, TEMP[7].zywy
    CAL :89
    MOV OUT[0], TEMP[0]
    MOV OUT[1], TEMP[1]
    MOV OUT[2], TEMP[2]
    MOV OUT[3], TEMP[3]
    MOV OUT[4], TEMP[4]
    MOV OUT[5], TEMP[5]
    MOV OUT[6], TEMP[6]
    MOV OUT[7], TEMP[7]
    MOV OUT[8], TEMP[8]
    MOV OUT[9], TEMP[9]
    MOV OUT[10], TEMP[10]
    MOV OUT[11], TEMP[11]
    MOV OUT[12], TEMP[12]
    MOV OUT[13], TEMP[13]
    MOV OUT[14], TEMP[18]
    MOV OUT[15], TEMP[19]
    MOV OUT[16], TEMP[20]
    MOV OUT[17], TEMP[21]
    MOV OUT[18], TEMP[22]
    MOV OUT[19], TEMP[23]
    END
    BGNSUB
    F2U TEMP[7].yzw, -TEMP[ADDR[0].x+12](1).yxyz
    SGE TEMP[4].yzw, |IMM[1].zxxz|, IMM[0].zyyz
    MAD TEMP[3].xy, TEMP[2].zxyx, TEMP[10].zzwy, IMM[1].zzxy
    UADD TEMP[7], CONST[ADDR[0].x+4].xzwz, IN[1].yzwx
    ENDSUB
    BGNSUB
    USNE TEMP[5].xy, TEMP[8].xwyy, CONST[ADDR[0].x+7].xzwy
    ENDSUB
}

tgsi! {
    crate = ::gallium_tgsi;
    native(64);
    static SEED_116: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0..19], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..9]
    DCL TEMP[10..13], ARRAY(1), LOCAL
    DCL TEMP[14..23]
    DCL ADDR[0]
    IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}
    IMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}
    IMM[2] INT32 {0, 1, 2, -1}
    IMM[3] INT32 {31, -7, 3, 5}
    IMM[4] FLT64 {1.5, -0.375}
    IMM[5] INT64 {-5, 4294967299}
    DROUND TEMP[19], TEMP[19].zwzw
    LRP_PRECISE TEMP[0].y, CONST[2].wwzy, -|IN[0].yywx|, -CONST[3].wwyy
    MAD TEMP[2], TEMP[2].xwzy, CONST[0].ywyw, TEMP[4].wyww
    D2U TEMP[8], TEMP[20].zwxy
    D2I TEMP[7], TEMP[20].xyzw
    AND ADDR[0].x, CONST[7].zwwz, IMM[3].zzzz
    DDX TEMP[ADDR[0].x+10](1), IN[0].wxwy
    DP2 TEMP[2].zw, IN[0].wzzz, -TEMP[11].xzyw
    AND TEMP[9].x, -TEMP[9].zyxz, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    COS TEMP[ADDR[0].x+10](1), |CONST[3].zyxx|
    UMOD TEMP[7], CONST[ADDR[0].x+6].wyzw, TEMP[9].xywx
    ARR TEMP[8], |TEMP[2].yywz|
    BRK
    CASE IMM[2].yyyy
    UIF CONST[ADDR[0].x+5].wxww
    ADD TEMP[1].zw, -TEMP[0].wzyx, TEMP[ADDR[0].x+10](1).zyzz
    ISGE TEMP[6].y, TEMP[5].yzxx, TEMP[5].ywyx
    AND TEMP[9].x, TEMP[6].xyzx, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    SHL TEMP[9].zw, TEMP[7].yywz, IMM[3].xzyy
    BRK
    CASE IMM[2].yyyy
    DST TEMP[ADDR[0].x+10](1).zw, -TEMP[3].wzwx, TEMP[2].xxwx
    CASE IMM[2].zzzz
    D2U TEMP[8].xz, TEMP[20].xyzw
    OR TEMP[7].xz, IN[1].yzyy, IN[1].wwzy
    U642F_PRECISE TEMP[4].zw, IMM[5].zwzw
    BRK
    ENDSWITCH
    IF TEMP[3].xzyw
    SGE_PRECISE TEMP[4], TEMP[0].zyyy, TEMP[0].zwwz
    I64SHR TEMP[21].xy, TEMP[21].zwzw, TEMP[7].zxxz
    DTRUNC_SAT_PRECISE TEMP[20].zw, TEMP[19].xyzw
    DABS TEMP[20].xy, TEMP[20].xyxy
    MUL TEMP[4], TEMP[3].yxyz, -TEMP[4].wwxx
    ELSE
    U64MOD TEMP[23].xy, TEMP[22].xyzw, IMM[5].zwzw
    KILL_IF -|TEMP[4].zyyz|
    AND ADDR[0].x, TEMP[6].zxww, IMM[3].zzzz
    MOV TEMP[18], TEMP[19]
    AND ADDR[0].x, TEMP[5].xywy, IMM[3].zzzz
    ENDIF
    AND ADDR[0].x, TEMP[5].xxxy, IMM[3].zzzz
    ELSE
    DSGE TEMP[5], TEMP[18].xyxy, TEMP[18].xyzw
    UADD TEMP[6].x, TEMP[9].wzwx, CONST[ADDR[0].x+5].xyzx
    MUL TEMP[1], -|CONST[0].xwyz|, IN[0].wxzx
    DMIN_SAT TEMP[19], TEMP[18].xyxy, IMM[4].zwzw
    U64SHL TEMP[23].xy, TEMP[23].zwxy, CONST[4].wzxz
    ENDIF
    BRK
    CASE IMM[2].zzzz
    MOV TEMP[0].xy, |TEMP[1].xyzz|
    FSEQ TEMP[6], -|CONST[2].wzzw|, -TEMP[0].zwyy
    DFRAC_SAT TEMP[18].zw, TEMP[19].zwxy
    ENDSWITCH
    DMIN TEMP[18].xy, TEMP[19].xyzw, TEMP[18].zwzw
    UIF TEMP[6].yzwx
    DMAX_SAT TEMP[19].zw, TEMP[19].zwzw, TEMP[19].xyxy
    U64SEQ TEMP[6], TEMP[23].zwzw, TEMP[21].xyzw
    DADD_PRECISE TEMP[19].xy, TEMP[20].xyxy, TEMP[20].zwzw
    UIF -TEMP[7].wxwx
    I2D TEMP[18].xy, TEMP[6].zywy
    U2I64 TEMP[23], CONST[ADDR[0].x+5].zzyy
    CAL :98
    ENDIF
    ELSE
    SQRT TEMP[3].xz, TEMP[3].ywwx
    F2D_SAT TEMP[20].xy, TEMP[3].wwwy
    ENDIF
    MOV OUT[0], TEMP[0]
    MOV OUT[1], TEMP[1]
    MOV OUT[2], TEMP[2]
    MOV OUT[3], TEMP[3]
    MOV OUT[4], TEMP[4]
    MOV OUT[5], TEMP[5]
    MOV OUT[6], TEMP[6]
    MOV OUT[7], TEMP[7]
    MOV OUT[8], TEMP[8]
    MOV OUT[9], TEMP[9]
    MOV OUT[10], TEMP[10]
    MOV OUT[11], TEMP[11]
    MOV OUT[12], TEMP[12]
    MOV OUT[13], TEMP[13]
    MOV OUT[14], TEMP[18]
    MOV OUT[15], TEMP[19]
    MOV OUT[16], TEMP[20]
    MOV OUT[17], TEMP[21]
    MOV OUT[18], TEMP[22]
    MOV OUT[19], TEMP[23]
    END
    BGNSUB
    AND ADDR[0].x, IMM[2].xyyy, IMM[3].zzzz
    SLE TEMP[3].yzw, TEMP[1].zyyy, TEMP[10].zyyy
    ENDSUB
    BGNSUB
    MOV TEMP[20], TEMP[19]
    SSG TEMP[1].yzw, TEMP[4].zwyy
    I64MIN TEMP[23].xy, TEMP[22].xyzw, TEMP[23].xyzw
    U64SGE TEMP[7].xz, TEMP[23].zwzw, TEMP[22].zwxy
    D2U64 TEMP[21].zw, TEMP[18].zwzw
    ENDSUB
}

tgsi! {
    crate = ::gallium_tgsi;
    native(16);
    static SEED_155: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0..19], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..9]
    DCL TEMP[10..13], ARRAY(1), LOCAL
    DCL TEMP[14..23]
    DCL ADDR[0]
    IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}
    IMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}
    IMM[2] INT32 {0, 1, 2, -1}
    IMM[3] INT32 {31, -7, 3, 5}
    IMM[4] FLT64 {1.5, -0.375}
    IMM[5] INT64 {-5, 4294967299}
    UIF TEMP[9].yzxz
    MUL_PRECISE TEMP[2].xz, TEMP[1].xxyy, TEMP[2].wyww
    USGE TEMP[6], TEMP[9].xwxw, TEMP[9].wwzx
    TXB TEMP[10], TEMP[4].xzxy, SAMP[0], 2D
    AND ADDR[0].x, TEMP[7].wzwx, IMM[3].zzzz
    IDIV TEMP[6].zw, TEMP[7].wxxw, TEMP[9].ywwz
    ELSE
    BREV TEMP[7].x, TEMP[9].xyyy
    USLT TEMP[8].xz, IN[1].yzxx, CONST[7].wzxx
    UBFE TEMP[5].yzw, IN[1].zyyw, IMM[2].zxxw, TEMP[6].wywz
    ENDIF
    DDIV_PRECISE TEMP[18], IMM[4].xyxy, IMM[4].zwzw
    AND ADDR[0].x, TEMP[8].wzzx, IMM[3].zzzz
    USHR TEMP[7].xz, CONST[5].xwzx, CONST[ADDR[0].x+6].xzyy
    SGT TEMP[0].y, IMM[1].xwyy, CONST[1].zwxy
    MOV TEMP[3], TEMP[ADDR[0].x+10](1).yzxz
    UMIN TEMP[5].zw, TEMP[6].xwww, -CONST[ADDR[0].x+5].zzxy
    DFLR TEMP[18], TEMP[20].zwzw
    UIF TEMP[5].ywxz
    IF IMM[0].xyzz
    F2U TEMP[8].zw, TEMP[11].yyyz
    AND ADDR[0].x, TEMP[9].wwwz, IMM[3].zzzz
    AND TEMP[9].x, TEMP[8].xyxz, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    DEFAULT
    SSG_SAT_PRECISE TEMP[2].x, -TEMP[10].wzxx
    D2U64 TEMP[23], TEMP[18].xyzw
    U2F_PRECISE TEMP[1].x, -TEMP[7].xxwz
    BRK
    CASE IMM[2].yyyy
    U64MUL TEMP[23].xy, TEMP[21].zwzw, IMM[5].zwzw
    I64MIN TEMP[23], TEMP[22].zwxy, TEMP[22].zwxy
    IMUL_HI TEMP[5].zw, CONST[ADDR[0].x+6].yxxx, CONST[ADDR[0].x+4].zyyx
    CASE IMM[2].zzzz
    U642F TEMP[2].yzw, TEMP[21].xyxy
    BRK
    ENDSWITCH
    ELSE
    UIF CONST[ADDR[0].x+6].yywy
    U64SGE TEMP[8].xz, TEMP[21].xyxy, TEMP[22].xyzw
    ARL TEMP[6], -TEMP[2].yxyw
    ENDIF
    ENDIF
    OR TEMP[9].y, TEMP[9].xyzz, TEMP[6].wyxz
    FSEQ TEMP[9].xy, TEMP[4].wyxw, -IMM[0].wwzz
    ENDIF
    MOV TEMP[14].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[14].y, TEMP[14].xxxx, IMM[3].wwww
    UIF TEMP[14].yyyy
    BRK
    ENDIF
    UADD TEMP[14].x, TEMP[14].xxxx, IMM[2].yyyy
    F2I64 TEMP[21].xy, TEMP[0].ywyw
    ENDLOOP
    DDY TEMP[ADDR[0].x+10](1).xz, -IN[0].yyzw
    LDEXP TEMP[3], IN[0].wzzw, -TEMP[7].zxwx
    D2F TEMP[4], IMM[4].xyxy
    LDEXP TEMP[0], TEMP[ADDR[0].x+13](1).zyxx, IMM[3].zwww
    DMUL TEMP[20], TEMP[20].xyxy, TEMP[20].zwzw
    NOT TEMP[6].x, CONST[5].xwwy
    F2D TEMP[18], TEMP[1].wyww
    DRCP_PRECISE TEMP[20], TEMP[18].zwxy
    DFRACEXP TEMP[18], TEMP[7].x, IMM[4].xyzw
    MAD TEMP[0], IN[0].yyzy, TEMP[4].zxwy, -CONST[3].zzyx
    DDY TEMP[3].xy, CONST[1].xyyy
    UIF TEMP[7].xwxy
    SGE TEMP[1].xz, TEMP[2].xxzw, |TEMP[ADDR[0].x+11](1).zyzy|
    I64ABS TEMP[21], IMM[5].xyxy
    KILL
    MAD TEMP[3], |TEMP[ADDR[0].x+10](1).wwzx|, CONST[1].xzzw, TEMP[2].zwxy
    MUL TEMP[4].zw, -TEMP[1].xxzy, TEMP[1].zwxx
    ENDIF
    FSNE TEMP[7].yzw, TEMP[11].wzyx, IMM[0].xywy
    MOV OUT[0], TEMP[0]
    MOV OUT[1], TEMP[1]
    MOV OUT[2], TEMP[2]
    MOV OUT[3], TEMP[3]
    MOV OUT[4], TEMP[4]
    MOV OUT[5], TEMP[5]
    MOV OUT[6], TEMP[6]
    MOV OUT[7], TEMP[7]
    MOV OUT[8], TEMP[8]
    MOV OUT[9], TEMP[9]
    MOV OUT[10], TEMP[10]
    MOV OUT[11], TEMP[11]
    MOV OUT[12], TEMP[12]
    MOV OUT[13], TEMP[13]
    MOV OUT[14], TEMP[18]
    MOV OUT[15], TEMP[19]
    MOV OUT[16], TEMP[20]
    MOV OUT[17], TEMP[21]
    MOV OUT[18], TEMP[22]
    MOV OUT[19], TEMP[23]
    END
    BGNSUB
    MUL TEMP[3].yzw, -CONST[3].wwxx, TEMP[3].wyzz
    UADD TEMP[8].xz, TEMP[7].yxwy, TEMP[9].wwxw
    FSEQ TEMP[7].yzw, TEMP[ADDR[0].x+10](1).yyxw, TEMP[3].yzzw
    D2F_SAT TEMP[3].y, IMM[4].zwzw
    ENDSUB
    BGNSUB
    F2U64 TEMP[23], -|CONST[1].xyyy|
    DP4_PRECISE TEMP[0], TEMP[ADDR[0].x+12](1).yxyz, -TEMP[ADDR[0].x+11](1).xzwx
    DTRUNC TEMP[19].xy, TEMP[18].xyzw
    MOV TEMP[8], TEMP[6]
    IABS TEMP[7].xz, CONST[4].wwxz
    TEX TEMP[10].x, -|TEMP[2].zyyx|, SAMP[0], 2D
    ENDSUB
}

tgsi! {
    crate = ::gallium_tgsi;
    native(16);
    static SEED_148: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0..19], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..9]
    DCL TEMP[10..13], ARRAY(1), LOCAL
    DCL TEMP[14..23]
    DCL ADDR[0]
    IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}
    IMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}
    IMM[2] INT32 {0, 1, 2, -1}
    IMM[3] INT32 {31, -7, 3, 5}
    IMM[4] FLT64 {1.5, -0.375}
    IMM[5] INT64 {-5, 4294967299}
    UIF TEMP[5].yzxz
    UIF TEMP[9].xwzy
    FLR_SAT TEMP[0].xy, -TEMP[1].yyxw
    UP2US TEMP[4].yzw, TEMP[9].wzzz
    MOV TEMP[14].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[14].y, TEMP[14].xxxx, IMM[3].wwww
    UIF TEMP[14].yyyy
    BRK
    ENDIF
    UADD TEMP[14].x, TEMP[14].xxxx, IMM[2].yyyy
    UDIV TEMP[5], TEMP[5].xwyx, CONST[5].yywy
    MAD_SAT_PRECISE TEMP[3].x, TEMP[1].xzzw, CONST[1].yzwy, IMM[1].wzyz
    DSQRT TEMP[20], TEMP[20].zwxy
    SLE_PRECISE TEMP[0].xy, IN[0].ywzw, TEMP[1].wzww
    ENDLOOP
    AND TEMP[9].x, IMM[3].zzwz, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    AND ADDR[0].x, CONST[ADDR[0].x+5].xzxx, IMM[3].zzzz
    SLT TEMP[2].xy, TEMP[4].ywzw, |TEMP[1].yzxx|
    CASE IMM[2].yyyy
    OR TEMP[8].y, TEMP[8].wxzx, TEMP[6].zzww
    MUL_SAT TEMP[ADDR[0].x+10](1).y, CONST[2].wyyw, |CONST[3].ywzw|
    BRK
    DEFAULT
    LG2 TEMP[0], TEMP[4].zyxz
    U2I64 TEMP[21].zw, CONST[7].zwxw
    FLR TEMP[0], -IMM[0].zyxy
    BRK
    ENDSWITCH
    ENDIF
    ADD TEMP[1], TEMP[3].wyyw, -|TEMP[3].xzzz|
    ENDIF
    DDX_FINE TEMP[3].xz, TEMP[2].ywzw
    DP3 TEMP[2], -|CONST[0].zzyz|, TEMP[ADDR[0].x+14](1).zwwx
    IMSB TEMP[6].y, TEMP[6].xyzz
    DTRUNC TEMP[20].xy, TEMP[19].xyzw
    IMAX TEMP[8].yzw, CONST[7].zwwy, IN[1].yxxx
    I64NEG TEMP[22].xy, TEMP[21].xyzw
    MOV TEMP[14].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[14].y, TEMP[14].xxxx, IMM[3].wwww
    UIF TEMP[14].yyyy
    BRK
    ENDIF
    UADD TEMP[14].x, TEMP[14].xxxx, IMM[2].yyyy
    USEQ TEMP[8], CONST[ADDR[0].x+4].zxwz, CONST[7].wwyw
    UIF TEMP[7].xywx
    POPC TEMP[8].xz, TEMP[6].zzxz
    IBFE TEMP[6], -TEMP[9].zwyy, CONST[ADDR[0].x+4].zyzx, IN[1].wwxx
    UADD TEMP[9].xy, IN[1].zzwx, TEMP[5].zxzw
    AND TEMP[9].x, -CONST[ADDR[0].x+7].xyzz, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    CAL :90
    MOD TEMP[7].y, TEMP[8].yzwx, TEMP[8].xwwx
    DEFAULT
    CMP TEMP[11], -CONST[3].wxzy, TEMP[0].xyww, TEMP[4].yzyx
    CASE IMM[2].zzzz
    SLE_PRECISE TEMP[0].xy, -TEMP[2].zywy, TEMP[2].zyyz
    MUL TEMP[0].xz, |TEMP[ADDR[0].x+12](1).zywy|, -TEMP[1].wwxw
    MOV TEMP[2], |TEMP[4].zzyy|
    ENDSWITCH
    ENDIF
    DABS_PRECISE TEMP[18].zw, TEMP[20].zwxy
    DROUND_SAT TEMP[20].xy, IMM[4].xyxy
    I64MAX TEMP[21], IMM[5].xyxy, TEMP[23].zwzw
    ENDLOOP
    MOV OUT[0], TEMP[0]
    MOV OUT[1], TEMP[1]
    MOV OUT[2], TEMP[2]
    MOV OUT[3], TEMP[3]
    MOV OUT[4], TEMP[4]
    MOV OUT[5], TEMP[5]
    MOV OUT[6], TEMP[6]
    MOV OUT[7], TEMP[7]
    MOV OUT[8], TEMP[8]
    MOV OUT[9], TEMP[9]
    MOV OUT[10], TEMP[10]
    MOV OUT[11], TEMP[11]
    MOV OUT[12], TEMP[12]
    MOV OUT[13], TEMP[13]
    MOV OUT[14], TEMP[18]
    MOV OUT[15], TEMP[19]
    MOV OUT[16], TEMP[20]
    MOV OUT[17], TEMP[21]
    MOV OUT[18], TEMP[22]
    MOV OUT[19], TEMP[23]
    END
    BGNSUB
    DMAD TEMP[19].zw, TEMP[20].zwzw, TEMP[18].zwxy, TEMP[20].zwxy
    DADD_SAT_PRECISE TEMP[18].xy, TEMP[18].zwzw, TEMP[18].xyzw
    LIT TEMP[1], TEMP[3].ywyw
    ARR TEMP[7].xy, IN[0].yxzz
    UIF TEMP[8].xzyz
    ISHR TEMP[8].xz, TEMP[8].zzwy, TEMP[8].wxww
    DMUL_SAT_PRECISE TEMP[19], IMM[4].zwzw, IMM[4].zwxy
    ELSE
    CMP_SAT TEMP[4].zw, TEMP[4].wyxz, IMM[1].xxyz, -|TEMP[3].wyzw|
    MAD_PRECISE TEMP[4].xy, -|CONST[2].xyyx|, CONST[2].zwxw, TEMP[3].ywzy
    U64MAX TEMP[22].xy, TEMP[22].zwzw, IMM[5].xyxy
    UBFE TEMP[7].x, TEMP[8].zwyw, IMM[2].wwzy, -TEMP[6].zyyy
    MAD TEMP[4].x, TEMP[1].zwzx, |TEMP[ADDR[0].x+10](1).xzxx|, TEMP[4].zxzy
    ENDIF
    CMP_PRECISE TEMP[4].xz, -IN[0].yzyw, -|IMM[0].xyyw|, TEMP[4].wywy
    ENDSUB
    BGNSUB
    I64SSG TEMP[21].zw, TEMP[21].zwxy
    COS_SAT TEMP[0].xy, TEMP[2].xzwy
    ENDSUB
}

tgsi! {
    crate = ::gallium_tgsi;
    native(16);
    static SEED_52: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0..19], COLOR
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..9]
    DCL TEMP[10..13], ARRAY(1), LOCAL
    DCL TEMP[14..23]
    DCL ADDR[0]
    IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}
    IMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}
    IMM[2] INT32 {0, 1, 2, -1}
    IMM[3] INT32 {31, -7, 3, 5}
    IMM[4] FLT64 {1.5, -0.375}
    IMM[5] INT64 {-5, 4294967299}
    I64MAX TEMP[21].zw, IMM[5].zwxy, TEMP[21].xyxy
    I642D TEMP[19], TEMP[21].xyxy
    PK2US TEMP[6].xy, CONST[0].yxzx
    D2I TEMP[5].y, IMM[4].xyxy
    DST TEMP[1].x, TEMP[4].xzyy, IMM[1].yxzx
    DFRACEXP_PRECISE TEMP[18], TEMP[6], TEMP[18].zwzw
    TEX TEMP[0].xz, |TEMP[0].xxzw|, SAMP[0], 2D
    IMUL_HI TEMP[8].xz, TEMP[5].xyzx, IN[1].zxxy
    DROUND_SAT TEMP[19].xy, IMM[4].xyzw
    UIF IN[1].wwww
    D2F_PRECISE TEMP[13].yzw, TEMP[20].zwxy
    DP4_PRECISE TEMP[2].x, -|IMM[0].ywxy|, TEMP[ADDR[0].x+10](1).zzxw
    ARL TEMP[5].x, -TEMP[ADDR[0].x+13](1).zyxy
    DRSQ TEMP[19].xy, TEMP[19].xyzw
    ENDIF
    I2I64 TEMP[21].zw, TEMP[8].yzxy
    DDX_FINE TEMP[3].y, TEMP[3].yzxx
    FSEQ TEMP[8].y, TEMP[13].wxxz, TEMP[3].xxyw
    UIF IMM[2].yyxx
    IF -|CONST[3].zxwy|
    CAL :99
    USEQ TEMP[7].xz, CONST[ADDR[0].x+6].xwxy, TEMP[6].yyzz
    MUL TEMP[4].xy, -|TEMP[0].wxwz|, IMM[1].yzwy
    DRCP TEMP[19].xy, IMM[4].xyzw
    ELSE
    UADD TEMP[8].zw, -TEMP[6].zzzw, -CONST[ADDR[0].x+5].xwzy
    ENDIF
    ENDIF
    MOV_PRECISE TEMP[4].xy, IN[0].xywy
    MUL TEMP[4].x, TEMP[4].xyzw, CONST[1].zxzy
    MIN TEMP[13].y, |TEMP[2].zwxy|, -IN[0].zzzw
    I64ABS TEMP[21], TEMP[23].zwzw
    MOV OUT[0], TEMP[0]
    MOV OUT[1], TEMP[1]
    MOV OUT[2], TEMP[2]
    MOV OUT[3], TEMP[3]
    MOV OUT[4], TEMP[4]
    MOV OUT[5], TEMP[5]
    MOV OUT[6], TEMP[6]
    MOV OUT[7], TEMP[7]
    MOV OUT[8], TEMP[8]
    MOV OUT[9], TEMP[9]
    MOV OUT[10], TEMP[10]
    MOV OUT[11], TEMP[11]
    MOV OUT[12], TEMP[12]
    MOV OUT[13], TEMP[13]
    MOV OUT[14], TEMP[18]
    MOV OUT[15], TEMP[19]
    MOV OUT[16], TEMP[20]
    MOV OUT[17], TEMP[21]
    MOV OUT[18], TEMP[22]
    MOV OUT[19], TEMP[23]
    END
    BGNSUB
    U64DIV TEMP[23].xy, TEMP[23].xyzw, TEMP[22].xyxy
    DFRAC TEMP[20], TEMP[19].xyzw
    IF |CONST[2].zyyx|
    UIF TEMP[6].yzxy
    EXP TEMP[3].yzw, TEMP[1].yzxw
    SLE_PRECISE TEMP[3], TEMP[12].wxzy, TEMP[3].zzyy
    DFLR TEMP[20].xy, IMM[4].xyxy
    I64MOD TEMP[21], TEMP[22].zwxy, TEMP[22].zwzw
    MOV TEMP[2].y, |TEMP[0].wzyz|
    ENDIF
    ENDIF
    AND TEMP[9].x, CONST[7].wyzx, IMM[3].zzzz
    SWITCH TEMP[9].xxxx
    CASE IMM[2].xxxx
    FRC TEMP[1].y, TEMP[4].zyzz
    UMIN TEMP[5].xz, TEMP[5].xwxy, TEMP[8].wxzy
    FMA_PRECISE TEMP[3].y, |TEMP[11].yxxy|, TEMP[1].xzyx, -TEMP[ADDR[0].x+10](1).xyzz
    BRK
    DEFAULT
    UIF TEMP[7].ywwy
    U2I64 TEMP[21].zw, TEMP[9].yyyy
    U64DIV TEMP[23].zw, TEMP[21].zwxy, TEMP[22].xyzw
    DCEIL_PRECISE TEMP[20], IMM[4].xyzw
    IMUL_HI TEMP[8].xz, CONST[7].zzyy, TEMP[8].xwxy
    F2U64 TEMP[22], -|TEMP[0].zwzz|
    ELSE
    DMIN TEMP[20].xy, TEMP[20].zwxy, IMM[4].xyzw
    I64DIV TEMP[23].xy, TEMP[21].xyxy, TEMP[22].zwxy
    PK2US TEMP[7].y, -|TEMP[0].yxyx|
    ENDIF
    UADD TEMP[8], TEMP[8].xxzx, -TEMP[9].zwxx
    CASE IMM[2].zzzz
    IF CONST[3].yyyx
    UADD TEMP[7].y, -TEMP[7].xyyy, -TEMP[5].yxzx
    ADD TEMP[0].y, -|TEMP[1].xyzw|, TEMP[0].zzyz
    F2D TEMP[18].zw, -|TEMP[4].wxwz|
    MOD TEMP[6].x, TEMP[6].xxyx, TEMP[5].yxxx
    INEG TEMP[9], TEMP[8].yzwx
    ENDIF
    BRK
    ENDSWITCH
    KILL_IF TEMP[2].yxyx
    U2F_PRECISE TEMP[0].x, TEMP[6].yxxx
    SLT_PRECISE TEMP[3], IN[0].xyxy, -|TEMP[3].xxww|
    ENDSUB
    BGNSUB
    I64ABS TEMP[23].xy, IMM[5].xyzw
    I64MOD TEMP[22], TEMP[21].xyxy, TEMP[22].zwzw
    ROUND_SAT TEMP[1].xy, TEMP[13].wyzw
    TXL TEMP[4].xy, TEMP[1].xxxw, SAMP[0], 2D
    TEX TEMP[0].y, |TEMP[11].zxww|, SAMP[0], 2D
    MOV TEMP[17].x, IMM[2].xxxx
    BGNLOOP
    ISGE TEMP[17].y, TEMP[17].xxxx, IMM[3].wwww
    UIF TEMP[17].yyyy
    BRK
    ENDIF
    UADD TEMP[17].x, TEMP[17].xxxx, IMM[2].yyyy
    U64SHR TEMP[21], TEMP[21].zwzw, IN[1].wyxz
    ENDLOOP
    BREV TEMP[5].xz, CONST[5].zwwx
    RSQ_PRECISE TEMP[1].xy, IN[0].xwwx
    ENDSUB
}

fn check(seed: u64, program: &Program<'_>) {
    let interpreted = Program { native: Native::NONE, ..*program };
    let (inputs, constants) = inputs(seed);
    let constants: &[&[u8]] = &[&constants];
    let all = |program: &Program<'_>| -> Vec<Option<Registers>> {
        let wide = run_width::<[u32; 64]>(program, &inputs, constants).into_iter();
        let some = run_width::<[u32; 16]>(program, &inputs, constants);
        wide.chain(some).chain(run_width::<[u32; 4]>(program, &inputs, constants)).collect()
    };
    for (at, (got, expected)) in all(program).iter().zip(all(&interpreted)).enumerate() {
        assert_eq!(got.is_some(), expected.is_some(), "seed {seed}, result {at}");
        let (Some(got), Some(expected)) = (got, expected) else { continue };
        for (output, class) in random::outputs().into_iter().enumerate() {
            let (got, expected) = (got[output], expected[output]);
            assert!(
                same(class, &got, &expected),
                "seed {seed}, result {at}, OUT[{output}]: {got:x?}, not {expected:x?}"
            );
        }
    }
}

#[test]
fn native_bodies_do_what_interpreting_does() {
    for (seed, program) in [
        (158, &SEED_158),
        (138, &SEED_138),
        (116, &SEED_116),
        (155, &SEED_155),
        (148, &SEED_148),
        (52, &SEED_52),
    ] {
        check(seed, program);
    }
}
